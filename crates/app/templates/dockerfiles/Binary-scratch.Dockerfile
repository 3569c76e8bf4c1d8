# This file is a template, and might need editing before it works on your project.
# Packs a statically linked program into an image that holds nothing else.
# There is no shell in the result, so commands must use the ["program", "argument"] form.

# This stage only provides the certificates and time zones.
FROM alpine:3.23 AS files
RUN apk add --no-cache ca-certificates tzdata

FROM scratch

# Needed for outgoing TLS connections and for local times. Remove what you do not use.
COPY --from=files /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=files /usr/share/zoneinfo /usr/share/zoneinfo

# Change this path to the place of your compiled program.
ARG BINARY=build/app
COPY --chmod=0755 ${BINARY} /app

# A numeric user, because the image has no /etc/passwd.
USER 10001:10001

# Change to the port on which the program listens, or remove this line.
EXPOSE 8080

ENTRYPOINT ["/app"]

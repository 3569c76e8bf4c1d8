# This file is a template, and might need editing before it works on your project.
# Packs a program that was compiled before the image build.
# Alpine uses the musl C library: link the program statically, or compile it against musl.
FROM alpine:3.23

# Shared libraries and other packages that the program needs at run time.
RUN apk add --no-cache ca-certificates tzdata

# Do not run the program as root.
RUN adduser -D -u 10001 app

# Change this path to the place of your compiled program.
ARG BINARY=build/app
COPY --chmod=0755 ${BINARY} /usr/local/bin/app

USER app
WORKDIR /home/app

# Change to the port on which the program listens, or remove this line.
EXPOSE 8080

CMD ["/usr/local/bin/app"]

# This file is a template, and might need editing before it works on your project.
ARG GO_VERSION=1.26

FROM golang:${GO_VERSION}-alpine AS build
RUN apk add --no-cache ca-certificates tzdata
WORKDIR /src

# The modules are downloaded again only when go.mod or go.sum changes.
COPY go.mod go.sum* ./
RUN go mod download

COPY . .

# Without cgo the program is linked statically and needs no C library at run time.
# Change "." to the path of your main package, for example ./cmd/server.
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o /out/app .

FROM scratch

# Needed for outgoing TLS connections and for local times. Remove what you do not use.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /usr/share/zoneinfo /usr/share/zoneinfo
COPY --from=build /out/app /app

# A numeric user, because the image has no /etc/passwd.
USER 10001:10001

# Change to the port on which the program listens, or remove this line.
EXPOSE 8080

ENTRYPOINT ["/app"]

# This file is a template, and might need editing before it works on your project.
ARG GO_VERSION=1.26

FROM golang:${GO_VERSION}-alpine AS build
WORKDIR /src

# Packages needed by cgo. Remove this line and set CGO_ENABLED=0 if the program is pure Go.
RUN apk add --no-cache gcc musl-dev

# The modules are downloaded again only when go.mod or go.sum changes.
COPY go.mod go.sum* ./
RUN go mod download

COPY . .

# Change "." to the path of your main package, for example ./cmd/server.
RUN go build -trimpath -ldflags="-s -w" -o /out/app .

FROM alpine:3.23
RUN apk add --no-cache ca-certificates tzdata \
    && adduser -D -u 10001 app

COPY --from=build /out/app /usr/local/bin/app

USER app
WORKDIR /home/app

# Change to the port on which the program listens, or remove this line.
EXPOSE 8080

CMD ["app"]

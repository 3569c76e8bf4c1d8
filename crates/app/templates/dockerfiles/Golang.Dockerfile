# This file is a template, and might need editing before it works on your project.
ARG GO_VERSION=1.26

FROM golang:${GO_VERSION}-trixie AS build
WORKDIR /src

# The modules are downloaded again only when go.mod or go.sum changes.
COPY go.mod go.sum* ./
RUN go mod download

# List build output and local files in .dockerignore, so that they are not copied.
COPY . .

# Change "." to the path of your main package, for example ./cmd/server.
RUN go build -trimpath -ldflags="-s -w" -o /out/app .

FROM debian:trixie-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates tzdata \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 10001 app

COPY --from=build /out/app /usr/local/bin/app

USER app
WORKDIR /home/app

# Change to the port on which the program listens, or remove this line.
EXPOSE 8080

CMD ["app"]

# This file is a template, and might need editing before it works on your project.
ARG RUST_VERSION=1

FROM rust:${RUST_VERSION}-slim-trixie AS build
WORKDIR /src

# Compile the dependencies with an empty program, so that this layer stays valid
# until Cargo.toml or Cargo.lock changes. A workspace needs the manifests of all its members here.
COPY Cargo.toml Cargo.lock ./
RUN mkdir src \
    && echo 'fn main() {}' > src/main.rs \
    && cargo build --release --locked \
    && rm -r src

# List the directory "target" in .dockerignore, so that it is not copied.
COPY . .

# The new time stamps make cargo compile the real sources.
RUN find src -name '*.rs' -exec touch {} + \
    && cargo install --path . --locked --root /out

FROM debian:trixie-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 10001 app

COPY --from=build /out/bin/ /usr/local/bin/

USER app

# Change to the port on which the program listens, or remove this line.
EXPOSE 8080

# Change to the name of your program, which is the package name by default.
CMD ["app"]

# This file is a template, and might need editing before it works on your project.
# Packs a program that was compiled before the image build, for example by an earlier pipeline job.
FROM debian:trixie-slim

# Shared libraries and other packages that the program needs at run time.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates tzdata \
    && rm -rf /var/lib/apt/lists/*

# Do not run the program as root.
RUN useradd --create-home --uid 10001 app

# Change this path to the place of your compiled program.
ARG BINARY=build/app
COPY --chmod=0755 ${BINARY} /usr/local/bin/app

USER app
WORKDIR /home/app

# Change to the port on which the program listens, or remove this line.
EXPOSE 8080

CMD ["/usr/local/bin/app"]

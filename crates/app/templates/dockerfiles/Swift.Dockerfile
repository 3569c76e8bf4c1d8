# This file is a template, and might need editing before it works on your project.
ARG SWIFT_VERSION=6.3

FROM swift:${SWIFT_VERSION}-noble AS build
WORKDIR /src

# The packages are fetched again only when one of these files changes.
COPY Package.swift Package.resolved* ./
RUN swift package resolve

# List the directory ".build" in .dockerignore, so that it is not copied.
COPY . .

# Change "App" to the name of the executable product in Package.swift.
ARG PRODUCT=App
RUN swift build --configuration release --product "$PRODUCT" \
    && mkdir /out \
    && cp "$(swift build --configuration release --show-bin-path)/$PRODUCT" /out/app

# The slim image holds the Swift run-time libraries, but no compiler.
FROM swift:${SWIFT_VERSION}-noble-slim
RUN useradd --create-home --uid 10001 app

COPY --from=build /out/app /usr/local/bin/app

USER app
WORKDIR /home/app

# Change to the port on which the program listens, or remove this line.
EXPOSE 8080

CMD ["app"]

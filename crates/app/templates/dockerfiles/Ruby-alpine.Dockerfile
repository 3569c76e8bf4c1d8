# This file is a template, and might need editing before it works on your project.
ARG RUBY_VERSION=3.4

# This stage has the compiler tools for native gems. They do not reach the final image.
FROM ruby:${RUBY_VERSION}-alpine AS gems
RUN apk add --no-cache build-base git yaml-dev
WORKDIR /app
ENV BUNDLE_DEPLOYMENT=1 \
    BUNDLE_PATH=/app/vendor/bundle \
    BUNDLE_WITHOUT=development:test

# The gems are installed again only when one of these files changes.
# Run "bundle lock --add-platform x86_64-linux-musl" once if the lock file has no musl platform.
COPY Gemfile Gemfile.lock ./
RUN bundle install

FROM ruby:${RUBY_VERSION}-alpine

# Shared libraries that native gems need at run time, for example libpq for the gem "pg".
RUN apk add --no-cache tzdata

ENV BUNDLE_DEPLOYMENT=1 \
    BUNDLE_PATH=/app/vendor/bundle \
    BUNDLE_WITHOUT=development:test
RUN adduser -D -u 10001 app
WORKDIR /app

COPY --from=gems /app/vendor/bundle ./vendor/bundle
COPY --chown=app:app . .

USER app

# Change to the port on which the program listens.
EXPOSE 3000

# Change to the command that starts your program.
CMD ["bundle", "exec", "rackup", "--host", "0.0.0.0", "--port", "3000"]

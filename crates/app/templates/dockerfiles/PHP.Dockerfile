# This file is a template, and might need editing before it works on your project.
ARG PHP_VERSION=8.4

# Installs the Composer packages. They are installed again only when one of the two files changes.
FROM composer:2 AS vendor
WORKDIR /app
COPY composer.json composer.lock ./
RUN composer install --no-dev --no-scripts --no-autoloader --no-interaction --ignore-platform-reqs
COPY . .
RUN composer dump-autoload --no-dev --no-scripts --optimize --ignore-platform-reqs

FROM php:${PHP_VERSION}-apache

# Change the list of extensions to what your program needs.
RUN docker-php-ext-install pdo_mysql

RUN mv "$PHP_INI_DIR/php.ini-production" "$PHP_INI_DIR/php.ini" \
    && a2enmod rewrite

# Serve the directory "public". Change it if the entry script of your program is in another place.
ENV APACHE_DOCUMENT_ROOT=/var/www/html/public
RUN sed -ri 's!/var/www/html!${APACHE_DOCUMENT_ROOT}!g' /etc/apache2/sites-available/000-default.conf

# Give "--chown=www-data:www-data" to this line if the program writes below its own directory.
COPY --from=vendor /app /var/www/html

# The server binds port 80 as root and answers requests as the user www-data.
EXPOSE 80

# This file is a template, and might need editing before it works on your project.
# Serves static files with the Apache HTTP server.
FROM httpd:2.4

# Change "public" to the directory that holds your site.
COPY public/ /usr/local/apache2/htdocs/

# To use your own server configuration, start from the default file:
#   docker run --rm httpd:2.4 cat /usr/local/apache2/conf/httpd.conf > httpd.conf
# then edit it and enable the next line.
# COPY httpd.conf /usr/local/apache2/conf/httpd.conf

# The server binds port 80 as root and answers requests as the user www-data.
EXPOSE 80

# The base image already starts the server with the command httpd-foreground.

# This file is a template, and might need editing before it works on your project.
ARG NODE_VERSION=24

# This stage has the compiler tools for native packages. They do not reach the final image.
FROM node:${NODE_VERSION}-alpine AS packages
RUN apk add --no-cache g++ make python3
WORKDIR /app

# The packages are installed again only when one of these files changes.
COPY package.json package-lock.json ./
RUN npm ci --omit=dev

FROM node:${NODE_VERSION}-alpine
ENV NODE_ENV=production
WORKDIR /app

COPY --from=packages /app/node_modules ./node_modules

# List node_modules and other local files in .dockerignore, so that they are not copied.
COPY . .

# This user is part of the base image.
USER node

# Change to the port on which the program listens.
EXPOSE 3000

# Change to the file that starts your program.
CMD ["node", "index.js"]

# This file is a template, and might need editing before it works on your project.
ARG NODE_VERSION=24

FROM node:${NODE_VERSION}-slim

ENV NODE_ENV=production
WORKDIR /app

# The packages are installed again only when one of these files changes.
# If you use another package manager, copy its lock file and change the install command.
COPY package.json package-lock.json ./
RUN npm ci --omit=dev && npm cache clean --force

# List node_modules and other local files in .dockerignore, so that they are not copied.
COPY . .

# This user is part of the base image.
USER node

# Change to the port on which the program listens.
EXPOSE 3000

# Change to the file that starts your program.
CMD ["node", "index.js"]

# This file is a template, and might need editing before it works on your project.
ARG PYTHON_VERSION=3.14

FROM python:${PYTHON_VERSION}-slim

# Write log output at once, and do not write .pyc files.
ENV PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1

# System packages that your program needs, for example the client library of a database.
# RUN apt-get update \
#     && apt-get install --yes --no-install-recommends libpq5 \
#     && rm -rf /var/lib/apt/lists/*

RUN useradd --create-home --uid 10001 app
WORKDIR /app

# The packages are installed again only when requirements.txt changes.
COPY requirements.txt ./
RUN pip install --no-cache-dir -r requirements.txt

COPY . .

USER app

# Change to the port on which the program listens, or remove this line.
EXPOSE 8000

# Change to the file that starts your program.
CMD ["python", "app.py"]

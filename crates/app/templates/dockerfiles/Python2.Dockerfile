# This file is a template, and might need editing before it works on your project.
# Python 2 is out of support since January 2020: neither the language nor this base image gets security fixes.
# Use this file only to keep an old program running until it is ported to Python 3.
FROM python:2.7-slim

ENV PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1

RUN useradd --create-home --uid 10001 app
WORKDIR /app

# The packages are installed again only when requirements.txt changes.
# Pin every version: most packages have dropped Python 2 from their newer releases.
COPY requirements.txt ./
RUN pip install --no-cache-dir -r requirements.txt

COPY . .

USER app

# Change to the port on which the program listens, or remove this line.
EXPOSE 8000

# Change to the file that starts your program.
CMD ["python", "app.py"]

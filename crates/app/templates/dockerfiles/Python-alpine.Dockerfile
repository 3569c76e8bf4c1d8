# This file is a template, and might need editing before it works on your project.
ARG PYTHON_VERSION=3.14

# This stage has the compiler, for packages that offer no ready wheel for musl.
FROM python:${PYTHON_VERSION}-alpine AS packages
RUN apk add --no-cache gcc libffi-dev musl-dev
RUN python -m venv /venv

# The packages are installed again only when requirements.txt changes.
COPY requirements.txt ./
RUN /venv/bin/pip install --no-cache-dir -r requirements.txt

FROM python:${PYTHON_VERSION}-alpine

# Use the virtual environment, and write log output at once.
ENV PATH="/venv/bin:$PATH" \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1

RUN adduser -D -u 10001 app
WORKDIR /app

COPY --from=packages /venv /venv
COPY . .

USER app

# Change to the port on which the program listens, or remove this line.
EXPOSE 8000

# Change to the file that starts your program.
CMD ["python", "app.py"]

# This file is a template, and might need editing before it works on your project.
# Eclipse Temurin is a maintained distribution of OpenJDK; the older "openjdk" image gets no more updates.
ARG JAVA_VERSION=21

FROM eclipse-temurin:${JAVA_VERSION}-jdk-alpine AS build
WORKDIR /src

# The wrapper and the dependencies are downloaded again only when the build files change.
# For the Kotlin DSL, add ".kts" to the names of the two build files.
COPY gradlew build.gradle settings.gradle ./
COPY gradle ./gradle
RUN ./gradlew --no-daemon dependencies

COPY src ./src

# The tests are expected to run in the pipeline, not in the image build.
RUN ./gradlew --no-daemon assemble

FROM eclipse-temurin:${JAVA_VERSION}-jre-alpine
RUN adduser -S -D app
WORKDIR /app

# Write the exact file name here if the build makes more than one JAR file.
COPY --from=build /src/build/libs/*.jar app.jar

USER app

# Change to the port on which the program listens.
EXPOSE 8080

CMD ["java", "-XX:MaxRAMPercentage=75", "-jar", "app.jar"]

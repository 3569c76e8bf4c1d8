# This file is a template, and might need editing before it works on your project.
# Eclipse Temurin is a maintained distribution of OpenJDK; the older "openjdk" image gets no more updates.
ARG JAVA_VERSION=21

FROM maven:3.9-eclipse-temurin-${JAVA_VERSION} AS build
WORKDIR /src

# The dependencies are downloaded again only when pom.xml changes.
COPY pom.xml ./
RUN mvn --batch-mode --no-transfer-progress dependency:go-offline

COPY src ./src

# The tests are expected to run in the pipeline, not in the image build.
RUN mvn --batch-mode --no-transfer-progress package -DskipTests

FROM eclipse-temurin:${JAVA_VERSION}-jre
RUN useradd --system --create-home app
WORKDIR /app

# Write the exact file name here if the build makes more than one JAR file.
COPY --from=build /src/target/*.jar app.jar

USER app

# Change to the port on which the program listens.
EXPOSE 8080

CMD ["java", "-XX:MaxRAMPercentage=75", "-jar", "app.jar"]

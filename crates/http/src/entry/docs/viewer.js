'use strict';

// Starts Swagger UI. Its requests are sent in the session of the browser, unless a token is given under "Authorize".

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

// Every page for people carries the token that writes of its session need; it is read when the first write is sent.
let csrfToken = null;

async function readCsrfToken() {
  const page = await (await fetch('../../help')).text();
  const meta = new DOMParser().parseFromString(page, 'text/html').querySelector('meta[name="csrf-token"]');
  return meta?.content || '';
}

async function withCsrfToken(request) {
  if (!request.method || SAFE_METHODS.includes(request.method.toUpperCase())) return request;
  csrfToken ??= await readCsrfToken();
  if (csrfToken) request.headers['X-CSRF-Token'] = csrfToken;
  return request;
}

function followColorScheme() {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', apply);
  apply();
}

async function main() {
  followColorScheme();
  const description = await (await fetch('openapi.json')).json();
  // The API is where this page is, also below the path of a proxy.
  description.servers = [{ url: new URL('.', location.href).pathname.replace(/\/$/, '') }];
  SwaggerUIBundle({
    spec: description,
    dom_id: '#viewer',
    deepLinking: true,
    docExpansion: 'none',
    filter: true,
    defaultModelsExpandDepth: -1,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    // The default sends the description to a server on the internet.
    validatorUrl: null,
    // The command line that is shown has no secret of the session.
    showMutatedRequest: false,
    requestInterceptor: withCsrfToken,
  });
}

main();

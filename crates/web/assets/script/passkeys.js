// A form of passkeys asks for a challenge, lets the browser answer it, and sends the answer. Other browsers keep the sentence
// that says what they lack.
for (const form of document.querySelectorAll("[data-passkey]")) {
  const kind = form.dataset.passkey;
  const read = window.PublicKeyCredential?.[kind === "get" ? "parseRequestOptionsFromJSON" : "parseCreationOptionsFromJSON"];
  if (!read) continue;
  form.hidden = false;
  form.nextElementSibling.hidden = true;
  const says = form.querySelector("[role=alert]");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    says.hidden = true;
    try {
      const answer = await fetch(`${form.getAttribute("action")}/challenge`, { method: "POST", body: new URLSearchParams(new FormData(form)) });
      const asked = await answer.json();
      if (!answer.ok) throw asked;
      const made = await navigator.credentials[kind]({ publicKey: read.call(PublicKeyCredential, asked) });
      form.elements.credential.value = JSON.stringify(made);
      form.submit();
    } catch (error) {
      says.textContent = error.refused ?? (error.name === "InvalidStateError" ? "This device already has a passkey for your account." : "The passkey was not used. Please try again.");
      says.hidden = false;
    }
  });
}

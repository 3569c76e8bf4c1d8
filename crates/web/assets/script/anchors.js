// A link to a comment may name a part of a discussion that is not shown. The address with its number has that part.
const findNote = () => {
  const [, id] = location.hash.match(/^#note_(\d+)$/) ?? [];
  const asked = new URLSearchParams(location.search);
  if (!id || document.getElementById(`note_${id}`) || asked.get("note") === id) return;
  if (!/\/((issues|merge_requests)\/\d+(\/diffs)?|commit\/[0-9a-f]+)$/.test(location.pathname)) return;
  asked.delete("page");
  asked.set("note", id);
  location.replace(`${location.pathname}?${asked}${location.hash}`);
};
findNote();
addEventListener("hashchange", findNote);

// An anchor in a text of a user. Its name has a prefix, which addresses from other sites lack.
const findPlace = () => {
  let name = location.hash.slice(1);
  try {
    name = decodeURIComponent(name);
  } catch {
    // The name cannot be decoded, and is used as it is.
  }
  if (!name || document.getElementById(name)) return;
  document.getElementById(`user-content-${name}`)?.scrollIntoView();
};
findPlace();
addEventListener("hashchange", findPlace);

// A browser leaves the focus where it is if the address has a fragment, even if a field has autofocus. Chromium takes it away
// again when it goes to the fragment, at the latest when the page is loaded.
const focusFirst = () => {
  if (location.hash && document.activeElement === document.body) document.querySelector("[autofocus]")?.focus({ preventScroll: true });
};
focusFirst();
addEventListener("load", () => setTimeout(focusFirst));

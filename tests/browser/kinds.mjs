// The rules for every page: its pictures are there, its links answer, and no heading is smaller than its text.

const [url] = process.argv.slice(2);
// The answers to links, for each person.
const answers = new WeakMap();
const AT_ONCE = 4;

const found = (page) => page.evaluate(async () => {
  const pictures = [];
  for (const image of document.images) {
    image.loading = "eager";
    await image.decode().catch(() => null);
    if (image.naturalWidth === 0) pictures.push(image.outerHTML);
  }
  const links = [...document.querySelectorAll("a[href]")].filter((link) => link.origin === location.origin);
  const isThere = ({ hash }) => {
    const id = decodeURIComponent(hash.slice(1));
    return document.getElementById(id) ?? document.getElementById(`user-content-${id}`);
  };
  const isHere = (link) => link.getAttribute("href").startsWith("#") && link.hash.length > 1;
  const size = (element) => Number.parseFloat(getComputedStyle(element).fontSize);
  // The text of a heading is the text after it, down to the first element that has words of its own.
  const textOf = (element) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { parentElement: holder, data } = walker.currentNode;
      if (data.trim() && holder.checkVisibility() && !holder.closest("h1, h2, h3, h4, h5, h6, table, pre, code")) return holder;
    }
    return null;
  };
  const isSmall = (heading) => {
    const text = heading.nextElementSibling && textOf(heading.nextElementSibling);
    return heading.checkVisibility() && heading.textContent.trim() && text && size(heading) < size(text);
  };
  return {
    pictures,
    anchors: links.filter((link) => isHere(link) && !isThere(link)).map((link) => link.outerHTML),
    addresses: [...new Set(links.filter((link) => !isHere(link)).map((link) => link.href.replace(/#.*/, "")))],
    headings: [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].filter(isSmall).map((heading) => heading.outerHTML),
  };
});

// The addresses of these that answer with a failure. Each is asked for once.
const dead = async (context, addresses) => {
  const known = answers.get(context) ?? new Map();
  answers.set(context, known);
  const ahead = addresses.filter((address) => !known.has(address));
  const ask = async () => {
    for (let address = ahead.pop(); address; address = ahead.pop()) {
      known.set(address, (await context.request.get(address)).status());
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
  return addresses.filter((address) => known.get(address) >= 400).map((address) => `${address} answers ${known.get(address)}`);
};

// The faults of the page that is shown; none if it is none of the pages.
export const unsound = async (page) => {
  // The viewer of the API leads to its own parts by script.
  if (!page.url().startsWith(url) || page.url().startsWith(`${url}/api/`)) return [];
  const { pictures, anchors, addresses, headings } = await found(page);
  const at = new URL(page.url()).pathname;
  return [
    ...pictures.map((html) => `${at}: no picture: ${html}`),
    ...anchors.map((html) => `${at}: leads nowhere: ${html}`),
    ...(await dead(page.context(), addresses)).map((text) => `${at}: ${text}`),
    ...headings.map((html) => `${at}: smaller than its text: ${html}`),
  ];
};

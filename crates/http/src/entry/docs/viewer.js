'use strict';

// Builds the page from openapi.json. All text goes in as text, never as markup.

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

function element(name, properties, ...children) {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...children.filter((child) => child !== null));
  return node;
}

function nameOf(reference) {
  return reference.split('/').pop();
}

function typeOf(schema) {
  if (!schema) return '';
  if (schema.$ref) return nameOf(schema.$ref);
  if (schema.enum) return schema.enum.join(' | ');
  if (schema.type === 'array') return `list of ${typeOf(schema.items) || 'anything'}`;
  if (schema.oneOf) return schema.oneOf.map(typeOf).filter((type) => type !== 'null').join(' or ');
  const type = [schema.type].flat().filter((name) => name && name !== 'null').join(' or ');
  return schema.format ? `${type} (${schema.format})` : type;
}

function table(rows) {
  const cell = (content) => element('td', {}, content);
  return element('table', {}, ...rows.map((row) => element('tr', {}, ...row.map(cell))));
}

function section(title, rows) {
  if (rows.length === 0) return null;
  return element('section', {}, element('h3', { textContent: title }), table(rows));
}

function row(name, where, type, text) {
  return [element('code', { textContent: name }), where, type, text || ''];
}

function parameterRows(operation) {
  const rows = (operation.parameters || []).map((parameter) =>
    row(parameter.name, parameter.required ? `${parameter.in}, required` : parameter.in, typeOf(parameter.schema), parameter.description));
  for (const [kind, content] of Object.entries(operation.requestBody?.content || {})) {
    const required = content.schema.required || [];
    const where = kind === 'multipart/form-data' ? 'form' : 'body';
    for (const [name, schema] of Object.entries(content.schema.properties || {})) {
      rows.push(row(name, required.includes(name) ? `${where}, required` : where, typeOf(schema), schema.description));
    }
  }
  return rows;
}

function fieldRows(schema, schemas) {
  const target = schema?.type === 'array' ? schema.items : schema;
  const named = target?.$ref ? schemas[nameOf(target.$ref)] : target;
  return Object.entries(named?.properties || {}).map(([name, field]) => row(name, '', typeOf(field), field.description));
}

function responses(operation, schemas) {
  const sections = [];
  const rows = [];
  for (const [status, response] of Object.entries(operation.responses || {})) {
    const schema = response.content?.['application/json']?.schema;
    rows.push(row(status, '', Number(status) < 300 ? typeOf(schema) : '', response.description));
    if (Number(status) < 300) sections.push(section(`Fields of ${status}`, fieldRows(schema, schemas)));
  }
  return [section('Responses', rows), ...sections];
}

function operationNode(method, path, operation, schemas) {
  const open = operation.security?.some((requirement) => Object.keys(requirement).length === 0);
  const summary = element('summary', {},
    element('span', { className: `method ${method}`, textContent: method.toUpperCase() }),
    element('code', { textContent: path }),
    element('span', { className: 'faint', textContent: operation.summary || '' }));
  const node = element('details', {}, summary);
  node.dataset.text = `${method} ${path} ${operation.summary || ''}`.toLowerCase();
  // Filled when it is opened: most operations never are.
  node.addEventListener('toggle', () => {
    if (node.childElementCount > 1) return;
    const access = element('p', { className: 'faint', textContent: open ? 'Works without signing in, on public data.' : 'Needs a token.' });
    const inside = [access, section('Parameters', parameterRows(operation)), ...responses(operation, schemas)];
    node.append(element('div', { className: 'inside' }, ...inside.filter(Boolean)));
  });
  return node;
}

function build(description) {
  const schemas = description.components?.schemas || {};
  const groups = new Map();
  for (const [path, item] of Object.entries(description.paths)) {
    for (const method of METHODS.filter((name) => item[name])) {
      const operation = item[method];
      const tag = operation.tags?.[0] || 'Other';
      if (!groups.has(tag)) groups.set(tag, []);
      groups.get(tag).push(operationNode(method, path, operation, schemas));
    }
  }
  return [...groups].sort(([left], [right]) => left.localeCompare(right))
    .map(([tag, nodes]) => element('section', { className: 'tag' }, element('h2', { textContent: tag }), ...nodes));
}

function filter(words, count) {
  let shown = 0;
  for (const group of document.querySelectorAll('.tag')) {
    let any = false;
    for (const node of group.querySelectorAll('details')) {
      node.hidden = !words.every((word) => node.dataset.text.includes(word));
      if (!node.hidden) { any = true; shown += 1; }
    }
    group.hidden = !any;
  }
  count.textContent = `${shown} operations`;
}

async function main() {
  const operations = document.getElementById('operations');
  const input = document.getElementById('filter');
  const count = document.getElementById('count');
  const apply = () => filter(input.value.toLowerCase().split(/\s+/).filter(Boolean), count);
  try {
    const response = await fetch('openapi.json');
    if (!response.ok) throw new Error(`status ${response.status}`);
    operations.replaceChildren(...build(await response.json()));
    input.addEventListener('input', apply);
    apply();
  } catch (error) {
    operations.replaceChildren(element('p', { textContent: `The description could not be loaded: ${error.message}` }));
  }
}

main();

// SPDX-License-Identifier: MIT
// dom.js: makes elements and labelled controls.

let made = 0;

/**
 * Makes an element. An attribute that is true is set without a value; one that is false is omitted.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | number | boolean>} [attributes]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function element(tag, attributes = {}, ...children) {
  const one = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== false) one.setAttribute(name, value === true ? '' : String(value));
  one.append(...children);
  return one;
}

/**
 * Makes a button. The title is shown while the pointer rests on it.
 * @param {string} label
 * @param {() => void} action
 * @param {{ id?: string, main?: boolean, title?: string, pressed?: boolean }} [options]
 */
export function button(label, action, { id, main = false, title, pressed } = {}) {
  const one = element('button', { type: 'button', ...(id && { id }), ...(title && { title }), ...(main && { class: 'main' }) }, label);
  if (pressed !== undefined) one.setAttribute('aria-pressed', String(pressed));
  one.addEventListener('click', action);
  return one;
}

/**
 * Makes a slider with its label and its value.
 * @param {string} label
 * @param {{ id: string, min: number, max: number, step: number, value: number, show?: (value: number) => string }} options
 * @param {(value: number) => void} changed
 */
export function slider(label, { id, min, max, step, value, show = String }, changed) {
  const input = element('input', { type: 'range', id, min, max, step, value });
  const output = element('output', { for: id }, show(value));
  input.addEventListener('input', () => {
    output.textContent = show(input.valueAsNumber);
    changed(input.valueAsNumber);
  });
  const field = element('div', { class: 'field' }, element('label', { for: id }, label), output, input);
  return Object.assign(field, {
    input,
    /** Shows another value without calling `changed`. A text, if given, is shown instead of the
        value. */
    set(/** @type {number} */ next, text = show(next)) {
      input.value = String(next);
      output.textContent = text;
    },
  });
}

/**
 * Makes a check box with its label.
 * @param {string} label
 * @param {{ id: string, value: boolean }} options
 * @param {(value: boolean) => void} changed
 */
export function checkbox(label, { id, value }, changed) {
  const input = element('input', { type: 'checkbox', id });
  input.checked = value;
  input.addEventListener('change', () => changed(input.checked));
  return Object.assign(element('div', { class: 'check' }, input, element('label', { for: id }, label)), { input });
}

/**
 * Makes a list of choices.
 * @param {string} label
 * @param {{ id: string, choices: [string, string][], value: string }} options  pairs of a value and its text
 * @param {(value: string) => void} changed
 */
export function choice(label, { id, choices, value }, changed) {
  const select = element('select', { id }, ...choices.map(([name, text]) => element('option', { value: name }, text)));
  select.value = value;
  select.addEventListener('change', () => changed(select.value));
  return Object.assign(element('div', { class: 'field' }, element('label', { for: id }, label), select), { select });
}

/** Makes a group of controls with a heading. */
export function group(/** @type {string} */ heading, /** @type {(Node | string)[]} */ ...children) {
  return element('fieldset', {}, element('legend', {}, heading), ...children);
}

/**
 * Makes a table of named figures.
 * @param {Record<string, string>} names  the label of each figure by its name
 */
export function figures(names) {
  const list = element('dl', { class: 'figures' });
  /** @type {Record<string, HTMLElement>} */
  const values = {};
  for (const [name, label] of Object.entries(names)) {
    values[name] = element('dd', { 'data-figure': name }, '–');
    list.append(element('dt', {}, label), values[name]);
  }
  return Object.assign(list, {
    /** @param {Record<string, string | number>} next */
    show(next) {
      for (const [name, value] of Object.entries(next)) {
        const text = typeof value === 'number' ? value.toLocaleString('en') : value;
        if (values[name].textContent !== text) values[name].textContent = text;
      }
    },
  });
}

/** Returns a number of bytes as a readable text: 1536 becomes '1.5 kB'. */
export function inBytes(/** @type {number} */ bytes) {
  const units = ['B', 'kB', 'MB', 'GB'];
  let unit = 0;
  while (bytes >= 1000 && unit < units.length - 1) {
    bytes /= 1000;
    unit++;
  }
  return `${unit === 0 || bytes >= 100 ? Math.round(bytes) : bytes.toPrecision(2)} ${units[unit]}`;
}

/** Returns an id that no other element has. */
export function newId(/** @type {string} */ stem) {
  return `${stem}-${++made}`;
}

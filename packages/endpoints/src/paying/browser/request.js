/** A message for the person at the page; nothing was paid. */
export class Refusal extends Error {}

/**
 * A request as the form describes it, and the values to find it again after a reload, without secrets and files.
 * @typedef {{ url: string, init: RequestInit, values: Record<string, string>, isComplete: boolean }} FormRequest
 * @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Control
 */

/**
 * The fields of the form in an element, each with a key of its own: a query may repeat a name.
 * @param {HTMLElement} form
 */
function controlsOf(form) {
  /** @type {Map<string, Control>} */
  const controls = new Map()
  for (const control of /** @type {NodeListOf<Control>} */ (form.querySelectorAll('[data-place]'))) {
    let key = control.name
    while (controls.has(key)) key += ' '
    controls.set(key, control)
  }
  return controls
}

/**
 * Reads the form.
 * @param {HTMLElement} form
 * @returns {FormRequest}
 */
export function readRequest(form) {
  const { method = 'GET', path = '/', accepts } = form.dataset
  const query = new URLSearchParams()
  const headers = new Headers({ accept: '*/*' })
  const parts = new FormData()
  // The members as a form has them.
  const fields = new URLSearchParams()
  /** @type {string[]} */
  const members = []
  /** @type {Record<string, string>} */
  const values = {}
  let [pathname, whole, isComplete] = [path, '', true]
  for (const [key, control] of controlsOf(form)) {
    const { name, value } = control
    const { place = '', kind = '' } = control.dataset
    if (kind === 'file') {
      const file = /** @type {HTMLInputElement} */ (control).files?.[0]
      if (!file) continue
      isComplete = false
      values[key] = `${file.name} ${file.size}`
      parts.append(name, file)
      continue
    }
    if (value === '') continue
    if ('secret' in control.dataset) isComplete = false
    else values[key] = value
    if (place.startsWith('header:')) headers.set(place.slice('header:'.length), value)
    else if (place === 'path') pathname = pathname.replace(`{${name}}`, encodeURIComponent(value))
    else if (place === 'whole') whole = toJson(name, value, kind)
    else if (place === 'body') {
      members.push(`${JSON.stringify(name)}:${toJson(name, value, kind)}`)
      for (const text of toTexts(value, kind)) fields.append(name, text)
    } else for (const text of toTexts(value, kind)) (place === 'form' ? parts : query).append(name, text)
  }
  const missing = /\{(\w+)\}/.exec(pathname)
  if (missing) throw new Refusal(`${missing[1]} is required.`)
  /** @type {RequestInit} */
  const init = { method, headers, cache: 'no-store', redirect: 'error' }
  if (accepts === 'either' && parts.has('file')) {
    for (const [name, text] of [...query, ...fields]) parts.append(name, text)
    return { url: pathname, init: { ...init, method: 'POST', body: parts }, values, isComplete }
  }
  if (method !== 'GET' && method !== 'DELETE') {
    if (accepts === 'multipart') init.body = parts
    else {
      headers.set('content-type', 'application/json')
      init.body = whole || `{${members.join()}}`
    }
  }
  return { url: query.size > 0 ? `${pathname}?${query}` : pathname, init, values, isComplete }
}

/**
 * Puts values back into the form.
 * @param {HTMLElement} form
 * @param {Record<string, string>} values
 */
export function restoreForm(form, values) {
  for (const [key, control] of controlsOf(form)) {
    const { kind } = control.dataset
    if (kind !== 'file' && !('secret' in control.dataset)) control.value = values[key] ?? ''
  }
}

/**
 * The text of a JSON value as it was typed, so that numbers keep their digits.
 * @param {string} name
 * @param {string} value
 * @param {string} kind
 */
function toJson(name, value, kind) {
  const isJson = isJsonText(value)
  if (kind === 'text' || (kind === 'either' && !(isJson && /^\s*[[{]/.test(value))))
    return JSON.stringify(value)
  if (kind === 'any' && !isJson) return JSON.stringify(value)
  if (!isJson) throw new Refusal(`${name} must be JSON, such as [1, 2] or {"a": "b"}.`)
  return value
}

/**
 * The values of a query; a JSON list is repeated.
 * @param {string} value
 * @param {string} kind
 * @returns {string[]}
 */
function toTexts(value, kind) {
  const list = kind !== 'text' && isJsonText(value) ? JSON.parse(value) : value
  if (!Array.isArray(list)) return [value]
  return list.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)))
}

/** @param {string} text */
function isJsonText(text) {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

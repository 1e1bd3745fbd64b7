import { findAll, getElementsByTagName, textContent } from 'domutils'
import { parseDocument } from 'htmlparser2'

export type FormField = {
  readonly name: string
  /** What the page fills in. */
  readonly value: string
  readonly isRequired: boolean
  readonly isHidden: boolean
}

export type HtmlForm = {
  readonly action: string
  readonly method: string
  readonly fields: readonly FormField[]
  /** The ways to submit it: the name and value of each button that has them, else none. */
  readonly buttons: readonly (readonly [name: string, value: string])[]
}

/** The forms of a page as a browser without script has them. */
export function readForms(page: string): readonly HtmlForm[] {
  return getElementsByTagName('form', parseDocument(page).children).map((form) => {
    const controls = findAll(({ name }) => ['input', 'textarea', 'select'].includes(name), form.children)
    const buttons = getElementsByTagName('button', form.children)
    return {
      action: form.attribs.action ?? '',
      method: (form.attribs.method ?? 'get').toUpperCase(),
      fields: controls.map((control) => ({
        name: control.attribs.name ?? '',
        value: control.attribs.value ?? (control.name === 'textarea' ? textContent(control) : ''),
        isRequired: 'required' in control.attribs,
        isHidden: control.attribs.type === 'hidden',
      })),
      buttons: buttons.flatMap(({ attribs: { name, value = '' } }) =>
        name === undefined ? [] : [[name, value]],
      ),
    }
  })
}

/** The request of a form: every field is sent, and an empty field as an empty string. */
export function submitForm(
  { action, method }: HtmlForm,
  fields: readonly (readonly [name: string, value: string])[],
): readonly [path: string, init: RequestInit] {
  const sent = new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value])).toString()
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  if (method === 'GET') return [`${action}?${sent}`, { headers: { accept } }]
  const headers = { accept, 'content-type': 'application/x-www-form-urlencoded' }
  return [action, { method, headers, body: sent }]
}

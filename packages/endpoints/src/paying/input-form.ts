import { html } from 'hono/html'
import { describeInput, type InputField } from '../arguments/input-fields.ts'
import { listParameters, type Parameter } from '../documents/parameters.ts'
import type { Markup } from '../documents/site-page.ts'
import type { Endpoint } from '../endpoint.ts'
import { buildInputSchema, type JsonSchema } from '../json-schema.ts'

/** What a URL says about the arguments of a call. */
export type UrlArguments = {
  readonly path: Readonly<Record<string, string>>
  /** Without its question mark. */
  readonly query: string
}

/**
 * How the script of the page reads a field: as a string, as JSON, as an object or list if it is one and else a string,
 * as JSON if it is any and else a string, or as a file.
 */
type Kind = 'text' | 'json' | 'either' | 'any' | 'file'

type Field = Pick<Parameter, 'name' | 'takes' | 'isRequired' | 'standard' | 'description'> & {
  readonly schema: JsonSchema
  readonly kind: Kind
  /** Part of the request, as the script of the page names it; a header as `header:` and its name. */
  readonly place: string
  readonly value: string
  readonly isSecret: boolean
}

/** Longer strings get several lines. */
const MAX_LINE_LENGTH = 200
/** Chosen: more undeclared names are no mistake in typing. */
const MAX_UNDECLARED = 20

/** An endpoint's inputs as form fields, with values of the URL or the example, and never secrets. */
export function renderInputForm(endpoint: Endpoint, fromUrl: UrlArguments): Markup {
  const fields = listFields(endpoint, fromUrl)
  const isShown = ({ isRequired, value }: Field) => isRequired || value !== ''
  const further = fields.filter((field) => !isShown(field))
  return html`${fields.filter(isShown).map(renderField)}${
    further.length === 0
      ? ''
      : html`<details><summary>Optional inputs (${further.length})</summary><div class="fields">${further.map(renderField)}</div></details>`
  }`
}

function listFields(endpoint: Endpoint, fromUrl: UrlArguments): readonly Field[] {
  const query = new URLSearchParams(fromUrl.query)
  const isBare = query.size === 0 && Object.keys(fromUrl.path).length === 0
  const example = isBare ? (endpoint.example.input as Readonly<Record<string, unknown>>) : {}
  const { byName } = describeInput(endpoint)
  const { properties = {} } = buildInputSchema(endpoint) as { properties?: Record<string, JsonSchema> }
  const declared = listParameters(endpoint).map((parameter): Field => {
    const { name } = parameter
    const isSecret = endpoint.secrets?.includes(name) ?? false
    const texts = fromUrl.path[name] === undefined ? query.getAll(name) : [fromUrl.path[name]]
    const [text = toText(example[name])] = texts.length > 1 ? [JSON.stringify(texts)] : texts
    const value = isSecret ? '' : text
    return {
      ...parameter,
      schema: properties[name] ?? {},
      kind: kindOf(byName.get(name)),
      place: placeOf(endpoint, name),
      value,
      isSecret,
    }
  })
  const undeclared = [...query].filter(([name]) => !Object.hasOwn(properties, name)).slice(0, MAX_UNDECLARED)
  return [...declared, ...undeclared.map(([name, value]) => ({ ...UNDECLARED, name, value }))]
}

const UNDECLARED: Omit<Field, 'name' | 'value'> = {
  place: 'query',
  takes: 'string',
  schema: { type: 'string' },
  kind: 'text',
  description: '',
  isRequired: false,
  isSecret: false,
  standard: null,
}

function placeOf(endpoint: Endpoint, name: string): string {
  const [header] = Object.entries(endpoint.headerFields ?? {}).find(([, field]) => field === name) ?? []
  if (header !== undefined) return `header:${header}`
  if (endpoint.path.includes(`{${name}}`)) return 'path'
  if (endpoint.accepts === 'either' && name === 'file') return 'form'
  if (endpoint.method === 'GET' || endpoint.method === 'DELETE') return 'query'
  if (endpoint.accepts === 'multipart') return 'form'
  if (!('body' in endpoint.input.shape)) return 'body'
  return name === 'body' ? 'whole' : 'query'
}

function toText(value: unknown): string {
  if (value === undefined || value instanceof Blob) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function renderField(field: Field): Markup {
  const { name, takes, isRequired, standard, description } = field
  const notes = [isRequired ? 'required' : '', takes, standard === null ? '' : `default ${standard}`]
  return html`<label for="input-${name}"><code>${name}</code> <small>${notes.filter(Boolean).join(', ')}</small>${description === '' ? '' : html`<small id="about-${name}">${description}</small>`}</label>${renderControl(field)}
`
}

function renderControl(field: Field): Markup {
  const { name, schema, kind, place, value, description, isSecret } = field
  const attributes = html`id="input-${name}" name="${name}" data-place="${place}" data-kind="${kind}"${isSecret ? html` data-secret` : ''}${description === '' ? '' : html` aria-describedby="about-${name}"`}`
  const choices = schema.type === 'boolean' ? ['true', 'false'] : schema.enum
  if (kind === 'file') return html`<input type="file" ${attributes}>`
  if (Array.isArray(choices)) {
    const none = field.standard === null ? 'not sent' : `default: ${field.standard}`
    // An empty choice is sent by none of them.
    const options = choices.map(toText).filter((each) => each !== '')
    return html`<select ${attributes}><option value="">${none}</option>${options.map((each) => renderOption(each, each === value))}</select>`
  }
  if (isSecret) return html`<input type="password" autocomplete="off" ${attributes}>`
  const { maxLength } = schema
  const isLong =
    typeof maxLength === 'number' ? maxLength > MAX_LINE_LENGTH : place !== 'query' && place !== 'path'
  const isNumber = schema.type === 'number' || schema.type === 'integer'
  // A line would lose line breaks, and a parser drops the first one of a textarea.
  if ((!isNumber && (isLong || kind !== 'text')) || /[\r\n]/.test(value))
    return html`<textarea rows="3" ${attributes}>${`\n${value}`}</textarea>`
  return html`<input autocomplete="off" ${attributes} value="${value}">`
}

/** White space is shown as a JSON string. */
function renderOption(text: string, isSelected: boolean): Markup {
  const label = text.trim() === '' ? JSON.stringify(text) : text
  return html`<option value="${text}"${isSelected ? html` selected` : ''}>${label}</option>`
}

function kindOf(field: InputField | undefined): Kind {
  if (field?.isFile) return 'file'
  if (!field || field.types.size === 0) return 'any'
  if (!field.types.has('string')) return 'json'
  return field.types.size > 1 ? 'either' : 'text'
}

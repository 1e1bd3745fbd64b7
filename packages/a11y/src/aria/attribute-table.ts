/** The allowed values of an attribute (WAI-ARIA 1.2, section 6; braille and description from 1.3). */
export type AttributeFacts = {
  readonly type: 'text' | 'id' | 'integer' | 'number' | 'token' | 'tokens'
  readonly values?: ReadonlySet<string>
  readonly isGlobal: boolean
}

const BOOLEAN = 'true false'
const TRISTATE = 'true false mixed undefined'
const MAYBE = 'true false undefined'

function rows(
  type: AttributeFacts['type'],
  names: string,
  options: { readonly isGlobal?: boolean; readonly values?: string } = {},
): readonly (readonly [string, AttributeFacts])[] {
  const values = options.values === undefined ? {} : { values: new Set(options.values.split(' ')) }
  return names
    .split(' ')
    .map((name) => [`aria-${name}`, { type, ...values, isGlobal: options.isGlobal ?? false }])
}

const GLOBAL = { isGlobal: true } as const

export const ARIA_ATTRIBUTES: ReadonlyMap<string, AttributeFacts> = new Map([
  ...rows(
    'text',
    'label roledescription description braillelabel brailleroledescription keyshortcuts',
    GLOBAL,
  ),
  ...rows('text', 'placeholder valuetext colindextext rowindextext'),
  ...rows('id', 'controls describedby details errormessage flowto labelledby owns', GLOBAL),
  ...rows('id', 'activedescendant'),
  ...rows('integer', 'colcount colindex colspan level posinset rowcount rowindex rowspan setsize'),
  ...rows('number', 'valuemax valuemin valuenow'),
  ...rows('token', 'atomic busy disabled', { ...GLOBAL, values: BOOLEAN }),
  ...rows('token', 'modal multiline multiselectable readonly required', { values: BOOLEAN }),
  ...rows('token', 'hidden grabbed', { ...GLOBAL, values: MAYBE }),
  ...rows('token', 'expanded selected', { values: MAYBE }),
  ...rows('token', 'checked pressed', { values: TRISTATE }),
  ...rows('token', 'autocomplete', { values: 'inline list both none' }),
  ...rows('token', 'current', { ...GLOBAL, values: 'page step location date time true false' }),
  ...rows('token', 'haspopup', { ...GLOBAL, values: 'true false menu listbox tree grid dialog' }),
  ...rows('token', 'invalid', { ...GLOBAL, values: 'grammar false spelling true' }),
  ...rows('token', 'live', { ...GLOBAL, values: 'assertive off polite' }),
  ...rows('token', 'orientation', { values: 'horizontal vertical undefined' }),
  ...rows('token', 'sort', { values: 'ascending descending none other' }),
  ...rows('tokens', 'dropeffect', { ...GLOBAL, values: 'copy execute link move none popup' }),
  ...rows('tokens', 'relevant', { ...GLOBAL, values: 'additions all removals text' }),
])

/** Whether the attribute allows the value. An empty value has no effect and is allowed. */
export function isAllowedValue({ type, values }: AttributeFacts, value: string): boolean {
  const written = value.trim().toLowerCase()
  if (written === '') return true
  switch (type) {
    case 'text':
    case 'id':
      return true
    case 'integer':
      return /^[+-]?\d+$/.test(written)
    case 'number':
      return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/.test(written)
    case 'token':
      return values?.has(written) ?? false
    case 'tokens':
      return written.split(/\s+/).every((word) => values?.has(word) ?? false)
    default:
      return type satisfies never
  }
}

/** A cell by its place, or a part of a document whose truth is known. */
export type Truth = {
  readonly tables: readonly (readonly (readonly string[])[])[]
  readonly headings: readonly string[]
  readonly items: readonly ListItem[]
  /** Without the indentation that all lines of a listing have. */
  readonly codes: readonly (readonly string[])[]
  /** Texts with powers and indices as the product writes them. */
  readonly marks: readonly string[]
}

export type ListItem = { readonly depth: number; readonly isOrdered: boolean; readonly text: string }

type Part = { readonly html: string } & Partial<Truth>
type Random = (below: number) => number

const WORDS =
  'harbour master pilot tide water north seven oak crane repaired century before stone wall iron signal paid never office open barrel canvas compass lantern rope anchor'.split(
    ' ',
  )
const NAMES =
  'Bergen,Oslo,New Haven,Port of Spain,Kiel,Trail Runner 3,Anchor chain,Deck paint,North,South,East,West,Signal lamp 2,Rope 10 mm,St. Ives,Hull survey'.split(
    ',',
  )
const HEADS =
  'Region,Q1,Q2,Q3,Q4,Name,Ships,Price,Item,Qty,Amount,City,Depth (m),Open since,Share,Note,Crew,Total'.split(
    ',',
  )
const FONTS = ['sans-serif', 'serif', '"DejaVu Serif"', '"Nimbus Sans"', '"P052"']
const STYLES = [
  'td, th { border: 1px solid #333; padding: 4px 8px } table { border-collapse: collapse }',
  '',
  'table { width: 600px; border-collapse: collapse } tr:nth-child(even) { background: #eee } td, th { padding: 6px } th { text-align: left }',
  'table { width: 100%; border-collapse: collapse } td, th { border-bottom: 1px solid #999; padding: 5px } th { text-align: left }',
  'table { border-collapse: collapse; width: 80% } td, th { padding: 4px 10px } th { text-align: left; border-bottom: 2px solid black } td.n, th.n { text-align: right }',
  'table { border-collapse: collapse; width: 480px; table-layout: fixed } td, th { border: 1px solid #888; padding: 4px; vertical-align: top; text-align: left }',
  'table { border-collapse: separate; border-spacing: 2px; margin: 12px 0 } td, th { background: #f4f4f4; padding: 4px 12px } th { background: #335; color: white }',
  'table { width: 100%; border-collapse: collapse } th { text-align: left; border-bottom: 2px solid #333 } td, th { padding: 7px 4px } td.n, th.n { text-align: right } tr:last-child td { border-top: 2px solid #333; font-weight: bold }',
]
/** Families of documents; each has three documents in either half. */
const FAMILIES = 10

/** The document of a number from 0; documents 2n and 2n + 1 are alike in kind, but not in content. */
export function buildDocument(number: number): { readonly html: string; readonly truth: Truth } {
  const random = randomOf(number)
  const family = Math.floor(number / 2) % FAMILIES
  const parts: Part[] = [heading(1, random), prose(random), ...partsOf(family, random)]
  const extras = [listing, nestedList, powers]
  const extra = extras[Math.floor(number / 2) % extras.length] ?? powers
  if (family < 8) parts.push(heading(2, random), prose(random), extra(random))
  parts.push(prose(random))
  const columns = family === 9 ? 'main { columns: 2; column-gap: 24pt } h1 { column-span: all }' : ''
  const size = 9 + random(4)
  const style = `body { font: ${size}pt/${1.2 + random(3) / 10} ${FONTS[random(FONTS.length)]}; margin: 0 } ${columns}
pre { font-family: monospace; font-size: ${size - 1}pt } ${STYLES[family] ?? ''}`
  const html = `<!doctype html><meta charset="utf-8"><style>${style}</style><main>${parts.map((part) => part.html).join('\n')}</main>`
  return {
    html,
    truth: {
      tables: parts.flatMap(({ tables = [] }) => tables),
      headings: parts.flatMap(({ headings = [] }) => headings),
      items: parts.flatMap(({ items = [] }) => items),
      codes: parts.flatMap(({ codes = [] }) => codes),
      marks: parts.flatMap(({ marks = [] }) => marks),
    },
  }
}

function partsOf(family: number, random: Random): Part[] {
  if (family === 6) return [table(random, {}), prose(random), table(random, {})]
  if (family === 7) return [invoice(random)]
  if (family === 8)
    return [listing(random), prose(random), powers(random), listing(random), nestedList(random)]
  if (family === 9)
    return [prose(random), nestedList(random), prose(random), listing(random), powers(random), prose(random)]
  return [table(random, { hasEmpty: family === 4 || random(3) === 0, hasLines: family === 5 })]
}

/** Numbers from 0 on; the same for a seed. */
function randomOf(seed: number): Random {
  let state = 7_919 * (seed + 11)
  const random = (below: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
  for (let at = 0; at < 5; at += 1) random(2)
  return random
}

function words(random: Random, count: number): string {
  const text = Array.from({ length: count }, () => WORDS[random(WORDS.length)]).join(' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function heading(level: number, random: Random): Part {
  const text = words(random, 3)
  return { html: `<h${level}>${text}</h${level}>`, headings: [text] }
}

function prose(random: Random): Part {
  return { html: `<p>${words(random, 12 + random(30))}.</p>` }
}

function table(
  random: Random,
  { hasEmpty = false, hasLines = false }: { readonly hasEmpty?: boolean; readonly hasLines?: boolean },
): Part {
  const [columns, rows] = [2 + random(5), 2 + random(7)]
  const from = random(HEADS.length)
  const heads = Array.from({ length: columns }, (_, at) => HEADS[(from + at * 5) % HEADS.length] ?? '')
  const kinds = heads.map((_, at) => (at === 0 ? 0 : random(5)))
  const body = Array.from({ length: rows }, () =>
    kinds.map((kind, at) => {
      if (hasEmpty && at > 0 && random(5) === 0) return ''
      return hasLines && kind < 2 ? words(random, 3 + random(7)) : cell(random, kind)
    }),
  )
  const all = [heads, ...body]
  // Some tables have no header cells; their first row looks like the others.
  const head = random(4) === 0 ? 'td' : 'th'
  return { html: writeTable(all, { head, isNumber: (at) => (kinds[at] ?? 0) >= 2 }), tables: [all] }
}

function cell(random: Random, kind: number): string {
  if (kind === 0) return NAMES[random(NAMES.length)] ?? ''
  if (kind === 1) return words(random, 1 + random(3))
  if (kind === 2) return String(random(10_000))
  if (kind === 3) return `$${random(900)}.${10 + random(90)}`
  return `${random(100)}%`
}

function invoice(random: Random): Part {
  const head = ['Item', 'Qty', 'Price', 'Total']
  const lines = Array.from({ length: 2 + random(5) }, () => {
    const [count, price] = [1 + random(9), 100 + random(20_000)]
    return { name: NAMES[random(NAMES.length)] ?? '', count, price, total: count * price }
  })
  const money = (cents: number) => `$${(cents / 100).toFixed(2)}`
  const sum = lines.reduce((total, line) => total + line.total, 0)
  const rows = [
    head,
    ...lines.map(({ name, count, price, total }) => [name, String(count), money(price), money(total)]),
    ['Total', '', '', money(sum)],
  ]
  const address = `<p>Invoice no. ${1_000 + random(9_000)}<br>Tollbook Ltd, 4 Harbour Road</p>`
  return { html: address + writeTable(rows, { head: 'th', isNumber: (at) => at > 0 }), tables: [rows] }
}

function writeTable(
  rows: readonly (readonly string[])[],
  { head, isNumber }: { readonly head: string; readonly isNumber: (column: number) => boolean },
): string {
  const lines = rows.map((row, y) => {
    const name = y === 0 ? head : 'td'
    return `<tr>${row.map((text, x) => `<${name}${isNumber(x) ? ' class=n' : ''}>${text}</${name}>`).join('')}</tr>`
  })
  return `<table>${lines.join('\n')}</table>`
}

function nestedList(random: Random): Part {
  const items: ListItem[] = []
  const write = (depth: number): string => {
    const isOrdered = random(2) === 0
    const html = Array.from({ length: 2 + random(2) }, () => {
      // Some are longer than a line.
      const text = words(random, random(4) === 0 ? 24 : 2 + random(4))
      items.push({ depth, isOrdered, text })
      return `<li>${text}${depth < 2 && random(2) === 0 ? write(depth + 1) : ''}</li>`
    })
    const name = isOrdered ? 'ol' : 'ul'
    return `<${name}>${html.join('')}</${name}>`
  }
  return { html: write(0), items }
}

function listing(random: Random): Part {
  const lines: string[] = []
  const write = (depth: number) => {
    const indent = ' '.repeat(depth * (random(2) === 0 ? 2 : 4))
    lines.push(`${indent}for ${WORDS[random(WORDS.length)]} in ${WORDS[random(WORDS.length)]}:`)
    for (let at = 0; at < 1 + random(3); at += 1)
      lines.push(`${indent}    ${WORDS[random(WORDS.length)]} = ${random(100)}  # ${words(random, 2)}`)
    if (depth < 2) write(depth + 1)
    if (random(2) === 0) lines.push('')
    lines.push(`${indent}    return [${random(10)}, ${random(10)}]`)
  }
  write(0)
  if (random(2) === 0) lines.push('', 'print("done")')
  return { html: `<pre>${lines.join('\n')}</pre>`, codes: [lines] }
}

function powers(random: Random): Part {
  const [exponent, base, note] = [2 + random(8), 2 + random(12), 1 + random(30)]
  const pairs = [
    [`10<sup>${exponent}</sup> joules`, `10^${exponent} joules`],
    [`E = mc<sup>2</sup> holds`, 'E = mc^2 holds'],
    [`10⁶ grams`, '10⁶ grams'],
    [`101<sub>${base}</sub> as a number`, `101_${base} as a number`],
    [`H<sub>2</sub>O freezes`, 'H2O freezes'],
    [`the ${20 + random(10)}<sup>th</sup> of May`, null],
    [`5 m<sup>-${exponent}</sup> a day`, `5 m^-${exponent} a day`],
    [`the harbour<sup>${note}</sup> closed`, `the harbour${note} closed`],
    [`(a + b)<sup>${exponent}</sup> terms`, `(a + b)^${exponent} terms`],
  ] as const
  const html = pairs.map(([text]) => `${text}, and ${words(random, 2).toLowerCase()}`).join('; ')
  return { html: `<p>Here ${html}.</p>`, marks: pairs.flatMap(([, mark]) => mark ?? []) }
}

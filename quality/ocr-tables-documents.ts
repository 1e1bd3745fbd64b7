/** A drawn document and what it shows: tables by cells, and the words outside of them. */
export type Form = {
  readonly html: string
  readonly tables: readonly (readonly (readonly string[])[])[]
  readonly texts: readonly string[]
  readonly variant: Variant
}

/** How the document becomes a picture. */
export type Variant = {
  readonly dpi: 96 | 150 | 200
  readonly fault: 'none' | 'noise' | 'skew' | 'jpeg' | 'blur' | 'faint' | 'dark' | 'cropped'
  /** Degrees, of a skewed one. */
  readonly angle: number
}

type Random = (below: number) => number
type Part = {
  readonly html: string
  readonly texts?: readonly string[]
  readonly table?: readonly (readonly string[])[]
}

export const FORMS = 48
const FAULTS = ['none', 'noise', 'skew', 'jpeg', 'blur', 'faint', 'dark', 'cropped'] as const
const RESOLUTIONS = [96, 150, 200] as const
const GOODS =
  'Anchor chain,Deck paint,Signal lamp 2,Rope 10 mm,Hull survey,Trail Runner 3,Compass,Canvas bag,Oak plank 2 m,Brass hinge,Crane hire,Pilot fee,Iron bolt M8,Lantern oil,Barrel 50 l,Green tea,Milk 1 l,White bread,Apples 1 kg,Coffee beans'.split(
    ',',
  )
const FIRMS =
  'Harbour Supplies Ltd,North Pier Stores,Oak & Iron Works,Blue Water Marine,Old Mill Grocery'.split(',')
const STREETS = '4 Harbour Road,17 Mill Lane,230 Station Street,9 Church Square,81 North Quay'.split(',')
const TOWNS = 'Bergen 5003,Kiel 24103,Bristol BS1 4TR,Portland ME 04101,Leith EH6 6LR'.split(',')
const FONTS = ['Arial, sans-serif', '"DejaVu Serif"', '"Nimbus Sans"', '"P052"', '"DejaVu Sans"']
const TABLES = [
  'td, th { border: 1px solid #333; padding: 4px 8px }',
  'th { border-bottom: 2px solid #222 } td { border-bottom: 1px solid #bbb } td, th { padding: 6px 4px }',
  'tr:nth-child(even) { background: #eee } td, th { padding: 5px 8px }',
  'th { background: #335; color: white } td, th { padding: 5px 8px }',
  'td, th { padding: 3px 10px }',
  'td, th { border: 1px solid #999; padding: 2px 5px } th { background: #ddd }',
]

/** The document of a number from 0 on; even ones are for tuning, odd ones held out. */
export function buildForm(number: number): Form {
  const random = randomOf(number)
  const half = Math.floor(number / 2)
  const kinds = [invoice, receipt, form, statement]
  const parts = (kinds[half % kinds.length] ?? invoice)(random)
  const size = 11 + random(5)
  const isReceipt = half % kinds.length === 1
  const width = isReceipt ? 300 : 620 + random(140)
  const font = isReceipt && random(2) === 0 ? '"DejaVu Sans Mono", monospace' : FONTS[random(FONTS.length)]
  const fault = FAULTS[(half + Math.floor(half / FAULTS.length)) % FAULTS.length] ?? 'none'
  const [ink, paper] =
    fault === 'dark' ? ['#eee', '#1b1f27'] : fault === 'faint' ? ['#8a8a8a', '#fbfaf5'] : ['#111', '#fff']
  const space = fault === 'cropped' ? 2 : 24 + random(30)
  const rules = isReceipt
    ? 'td { padding: 1px 8px 1px 0 }'
    : fault === 'dark'
      ? 'td, th { padding: 4px 9px; border-bottom: 1px solid #555 }'
      : TABLES[random(TABLES.length)]
  const style = `body { font: ${size}px/1.4 ${font}; color: ${ink}; background: ${paper}; margin: 0; padding: ${space}px; width: ${width}px }
table { border-collapse: collapse; width: ${isReceipt ? 100 : 80 + random(21)}%; margin: 10px 0 } th { text-align: left } .n { text-align: right } .c { text-align: center }
h1 { font-size: 1.7em; margin: 0 0 8px } p { margin: 6px 0 } .box { border: 1px solid ${ink}; padding: 5px; display: inline-block; min-width: 45% }
${rules}`
  return {
    html: `<!doctype html><meta charset="utf-8"><style>${style}</style>${parts.map(({ html }) => html).join('\n')}`,
    tables: parts.flatMap(({ table }) => (table ? [table] : [])),
    texts: parts.flatMap(({ texts = [] }) => texts),
    variant: {
      dpi: RESOLUTIONS[(half + random(2)) % RESOLUTIONS.length] ?? 96,
      fault,
      angle: fault === 'skew' ? (random(2) === 0 ? -1 : 1) * (0.5 + random(20) / 10) : 0,
    },
  }
}

function invoice(random: Random): Part[] {
  const style = random(3)
  const money = moneyOf(random)
  const lines = Array.from({ length: 3 + random(8) }, (_, at) => {
    const [count, price] = [1 + random(random(3) === 0 ? 40 : 9), 95 + random(30_000)]
    const name = pick(GOODS, random)
    const row =
      style === 0
        ? [name, `${count}`, money(price), money(count * price)]
        : style === 1
          ? [
              `${at + 1}`,
              name,
              `${count}`,
              money(price),
              `${[0, 5, 7, 19, 25][random(5)]}%`,
              money(count * price),
            ]
          : [`${count}`, name, money(count * price)]
    return { row, total: count * price }
  })
  const head =
    [
      ['Item', 'Qty', 'Price', 'Total'],
      ['#', 'Description', 'Qty', 'Unit price', 'Tax', 'Amount'],
      ['Qty', 'Item', 'Amount'],
    ][style] ?? []
  const sum = lines.reduce((total, { total: line }) => total + line, 0)
  const foot = head.map((_, at) =>
    at === (style === 2 ? 1 : 0) ? 'Total' : at === head.length - 1 ? money(sum) : '',
  )
  return [
    ...address(random),
    text('p', `Invoice no. ${1_000 + random(90_000)}`),
    text('p', `Date: ${date(random)}`),
    table([head, ...lines.map(({ row }) => row), foot], random),
    text('p', `Please pay ${money(sum)} within ${[7, 14, 30][random(3)]} days.`),
  ]
}

function receipt(random: Random): Part[] {
  const money = moneyOf(random)
  const hasCount = random(2) === 0
  const rows = Array.from({ length: 3 + random(8) }, () => {
    const [count, price] = [1 + random(9), 95 + random(3_000)]
    return {
      cells: hasCount
        ? [`${count}`, pick(GOODS, random), money(count * price)]
        : [pick(GOODS, random), money(price)],
      total: hasCount ? count * price : price,
    }
  })
  const sum = rows.reduce((total, row) => total + row.total, 0)
  const foot = (name: string, cents: number) => (hasCount ? ['', name, money(cents)] : [name, money(cents)])
  return [
    text('p class=c', pick(FIRMS, random).toUpperCase()),
    text('p class=c', pick(STREETS, random)),
    text('p class=c', `TEL: 555-0${100 + random(900)}`),
    text('p', `${date(random)} ${10 + random(12)}:${10 + random(50)}`),
    table(
      [...rows.map(({ cells }) => cells), foot('TOTAL', sum), foot('CASH', sum + 500), foot('CHANGE', 500)],
      random,
      'td',
    ),
    text('p class=c', 'THANK YOU'),
  ]
}

function form(random: Random): Part[] {
  const fields = [
    [
      'Name',
      `${pick(['Ada', 'Grace', 'Alan', 'Edsger'], random)} ${pick(['Hill', 'Stone', 'Rivers', 'Field'], random)}`,
    ],
    ['Date of birth', date(random)],
    ['Address', `${pick(STREETS, random)}, ${pick(TOWNS, random)}`],
    ['Membership no.', `${100_000 + random(900_000)}`],
    ['Temperature', `${10 + random(30)}°`],
    ['Share', `${random(100)}%`],
    ['Rooms', `${1 + random(9)}`],
    ['Berth', `${'ABCDEFG'[random(7)]}${1 + random(9)}`],
    ['Weight', `${1 + random(90)} kg`],
  ]
  const isTable = random(2) === 0
  const chosen = fields.slice(0, 6 + random(4))
  const shown = isTable
    ? [table(chosen, random, 'td')]
    : chosen.map(([name = '', value = '']) => text('p', `${name}: ${value}`, 'box'))
  return [
    text('h1', pick(['Registration form', 'Berth application', 'Order form'], random)),
    text('p', 'Please fill in all fields in block letters and return this form to the harbour office.'),
    ...shown,
    text('p', `Form ${'ABCD'[random(4)]}${10 + random(90)}, page ${1 + random(3)} of 4`),
  ]
}

function statement(random: Random): Part[] {
  const money = moneyOf(random)
  let balance = 100_000 + random(500_000)
  const rows = Array.from({ length: 5 + random(10) }, () => {
    const amount = 100 + random(40_000)
    const isIn = random(3) === 0
    balance += isIn ? amount : -amount
    return [
      date(random),
      pick(GOODS, random),
      isIn ? '' : money(amount),
      isIn ? money(amount) : '',
      money(balance),
    ]
  })
  return [
    ...address(random),
    text('h1', 'Account statement'),
    text('p', `Account ${10_000_000 + random(89_999_999)}, sheet ${1 + random(9)}`),
    table([['Date', 'Details', 'Out', 'In', 'Balance'], ...rows], random),
    table(
      [
        ['Zone', '1', '2', '3', '4'],
        ...['North', 'South', 'East'].map((name) => [
          name,
          ...Array.from({ length: 4 }, () => `${random(30)}`),
        ]),
      ],
      random,
    ),
  ]
}

function address(random: Random): Part[] {
  const lines = [pick(FIRMS, random), pick(STREETS, random), pick(TOWNS, random)]
  return [{ html: `<p>${lines.map(toHtml).join('<br>')}</p>`, texts: lines }]
}

function text(tag: string, value: string, name?: string): Part {
  const [element = 'p'] = tag.split(' ')
  const inner = name ? `<span class=${name}>${toHtml(value)}</span>` : toHtml(value)
  return { html: `<${tag}>${inner}</${element}>`, texts: [value] }
}

function table(rows: readonly (readonly string[])[], random: Random, head = 'th'): Part {
  const isNumber = (at: number) => rows.slice(1).every((row) => /^[^A-Za-z]*$/.test(row[at] ?? ''))
  // Numbers stand at the right, in the middle or at the left.
  const numbers = ['n', 'n', 'c', ''][random(4)]
  const html = rows.map((row, y) => {
    const name = y === 0 ? head : 'td'
    return `<tr>${row.map((cell, x) => `<${name}${isNumber(x) ? ` class="${numbers}"` : ''}>${toHtml(cell)}</${name}>`).join('')}</tr>`
  })
  return { html: `<table>${html.join('\n')}</table>`, table: rows }
}

function moneyOf(random: Random): (cents: number) => string {
  const sign = ['$', '£', '', ''][random(4)] ?? ''
  const separator = random(2) === 0 ? ',' : ''
  return (cents) => {
    const whole = `${Math.floor(cents / 100)}`.replace(/\B(?=(\d{3})+$)/g, separator)
    return `${sign}${whole}.${`${cents % 100}`.padStart(2, '0')}`
  }
}

function date(random: Random): string {
  const [day, month, year] = [1 + random(28), 1 + random(12), 2015 + random(12)]
  const two = (value: number) => `${value}`.padStart(2, '0')
  return random(2) === 0 ? `${year}-${two(month)}-${two(day)}` : `${two(day)}/${two(month)}/${year}`
}

function pick(list: readonly string[], random: Random): string {
  return list[random(list.length)] ?? ''
}

function toHtml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;')
}

/** Numbers from 0 on; the same for a seed. */
function randomOf(seed: number): Random {
  let state = 104_729 * (seed + 17)
  const random = (below: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
  for (let at = 0; at < 5; at += 1) random(2)
  return random
}

import { createRandom, type Random } from '@tollbook/devchain/demo-week/random'
import type { Half, StructurePage } from './structure-page.ts'

const PAGES = 60

/** Words of each half; the halves share neither sentences nor class names. */
const WORDING = {
  tune: {
    seed: 11,
    names: ['Trail Runner 3', 'Copper Kettle', 'Field Lamp', 'Harbour Clock'],
    sentences: [
      'Its sole grips on wet stone, and the upper dries within an hour.',
      'We tested it for three months in the mountains and it held up well in all conditions.',
      'Compared with the second version it weighs forty grams less.',
      'Whoever wants more room should order half a size up, as the last is narrow.',
      'The handle stays cool even when the water has boiled for a while.',
    ],
    price: 'price',
    table: 'infobox',
    rows: ['Weight', 'Drop', 'Material', 'Warranty'],
    values: ['245 g', '6 mm', 'Steel', 'Two years'],
    code: 'npm install trail-runner',
  },
  'held-out': {
    seed: 12,
    names: ['River Boots', 'Glass Teapot', 'Desk Barometer', 'Canvas Satchel'],
    sentences: [
      'The seams are glued and stitched, so that nothing comes loose after a winter.',
      'Two people carried it through a rainy spring and found no fault worth a word.',
      'It is lighter than last year, and the strap no longer slips off the shoulder.',
      'The maker repairs worn parts for a small fee, which few others offer today.',
      'On the first day the leather feels stiff, and by the end of the week it gives.',
    ],
    price: 'product-cost',
    table: 'specs',
    rows: ['Height', 'Capacity', 'Origin', 'Care'],
    values: ['31 cm', '1.2 l', 'Portugal', 'Wash by hand'],
    code: 'pip install barometer',
  },
} as const

/** Small pages whose every part is content: heading, price, prose, table, definition list, list and code. */
export function generatePages(half: Half): StructurePage[] {
  const random = createRandom(WORDING[half].seed)
  return Array.from({ length: PAGES }, (_, at) => ({
    name: `generated-${half}-${at}`,
    suite: 'generated',
    url: `https://example.com/page-${at}`,
    body: new TextEncoder().encode(generatePage(half, random)),
    isWhole: true,
  }))
}

function generatePage(half: Half, random: Random): string {
  const { names, sentences, price, table, rows, values, code } = WORDING[half]
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(random() * items.length)]
  const maybe = (markup: string) => (random() < 0.6 ? [markup] : [])
  const prose = () =>
    `<p>${Array.from({ length: 3 + Math.floor(random() * 5) }, () => pick(sentences)).join(' ')}</p>`
  const tag = pick(['p', 'span', 'div'])
  const amount = `$${20 + Math.floor(random() * 200)}.${pick(['00', '50', '99'])}`
  const cells = rows.map((row, at) => `<tr><th>${row}</th><td>${values[at]}</td></tr>`)
  const pairs = rows.map((row, at) => `<dt>${row}</dt><dd>${values[at]}</dd>`)
  const blocks = [
    ...maybe(`<table class="${table}">${cells.join('')}</table>`),
    prose(),
    ...maybe(`<pre><code>${code}</code></pre>`),
    ...maybe(`<dl>${pairs.join('')}</dl>`),
    ...maybe(`<ul>${values.map((value) => `<li>${value}</li>`).join('')}</ul>`),
    ...maybe(prose()),
  ]
    .map((markup) => ({ markup, order: random() }))
    .sort((one, other) => one.order - other.order)
    .map(({ markup }) => markup)
  const head = [`<h1>${pick(names)}</h1>`, ...maybe(`<${tag} class="${price}">${amount}</${tag}>`)]
  return `<html><body><${pick(['main', 'article', 'div'])}>${[...head, ...blocks].join('\n')}</body></html>`
}

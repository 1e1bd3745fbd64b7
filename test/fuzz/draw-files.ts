import { EXAMPLE_IMAGE } from '@tollbook/social/endpoints/tweets/mediaUpload/example'
import { writePdf } from '@tollbook/testing/write-pdf'
import fc, { type Arbitrary } from 'fast-check'

const SENTENCE = 'The oldest harbour was built of oak, and nobody knows who paid for it.'

/** A small document of each kind that endpoints read. */
const SEEDS: readonly (readonly [type: string, content: Uint8Array | string])[] = [
  [
    'application/pdf',
    writePdf([
      [
        [72, 700, 24, 'Harbours'],
        [72, 670, 11, SENTENCE],
      ],
      [],
    ]),
  ],
  ['image/png', EXAMPLE_IMAGE],
  [
    'text/html',
    `<!doctype html><title>Harbours</title><h1>Harbours</h1><p>${SENTENCE}</p><table><tr><td>7 m</table>`,
  ],
  ['text/markdown', `# Harbours\n\n${SENTENCE}\n\n- \`oak\`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n`],
  ['text/plain', `${SENTENCE}\n\nBrest     7 m\n`],
  ['application/json', `{"harbours": ["${SENTENCE}", 7.50, null]}`],
  [
    'application/rss+xml',
    `<rss version="2.0"><channel><title>Sea</title><item><title>Tide</title><description>&lt;p&gt;${SENTENCE}</description></item></channel></rss>`,
  ],
]
const TYPES = [
  ...SEEDS.map(([type]) => type),
  '',
  'application/octet-stream',
  'video/mp4',
  'audio/wav',
  'text/html; charset=utf-16le',
  'text/plain; charset=no-such',
  'image/svg+xml',
  'nothing',
  '*/*',
]
const NAMES = [
  'a',
  'a.pdf',
  'a.PNG',
  'a.md',
  'a.json',
  '../../etc/passwd',
  'a"b\r\nc.html',
  'ä\u0000\u202E.txt',
  `${'x'.repeat(7_000)}.md`,
  `${'../'.repeat(4_000)}a.csv`,
  '__proto__',
]
/** Changes of a file; most parsers break at one. */
const MAX_EDITS = 4
const MAX_BYTES = 200_000

type Edit = {
  readonly kind: 'cut' | 'drop' | 'overwrite' | 'insert' | 'repeat'
  /** Place of the change, as a share of the file. */
  readonly at: number
  readonly bytes: Uint8Array
  readonly times: number
}

/** Files as clients send them: half are sound, the others have changed bytes, another type or an awkward name. */
export function drawFiles(): Arbitrary<File> {
  const seed = fc.constantFrom(...SEEDS)
  const sound = seed.map(([type, content]) => new File([content], 'a', { type }))
  const edit = fc.record<Edit>({
    kind: fc.constantFrom('cut', 'drop', 'overwrite', 'insert', 'repeat'),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 16 }),
    times: fc.integer({ min: 1, max: 400 }),
  })
  const faulty = fc
    .tuple(
      seed,
      fc.array(edit, { maxLength: MAX_EDITS }),
      fc.option(fc.constantFrom(...TYPES)),
      fc.constantFrom(...NAMES),
    )
    .map(([[own, content], edits, type, name]) => {
      const bytes = edits.reduce(applyEdit, Buffer.from(content)).subarray(0, MAX_BYTES)
      return new File([new Uint8Array(bytes)], name, { type: type ?? own })
    })
  return fc.oneof(sound, faulty)
}

function applyEdit(file: Buffer, { kind, at, bytes, times }: Edit): Buffer {
  const place = Math.floor(at * file.length)
  const [start, end] = [file.subarray(0, place), file.subarray(place)]
  switch (kind) {
    case 'cut':
      return start
    case 'drop':
      return Buffer.concat([start, end.subarray(times)])
    case 'overwrite':
      return Buffer.concat([start, bytes, end.subarray(bytes.length)])
    case 'insert':
      return Buffer.concat([start, bytes, end])
    case 'repeat':
      return Buffer.concat([start, ...Array.from({ length: times }, () => end.subarray(0, 64)), end])
    default:
      return kind satisfies never
  }
}

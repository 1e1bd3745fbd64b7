import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { drawSvg, psnr } from '@tollbook/testing/utility/images'
import sharp from 'sharp'
import type { Bitmap, Drawing } from '../image.ts'
import { flatten, nearestColourIndex } from './dxf.ts'
import { shortNumber } from './svg.ts'
import { type OutputFormat, writeDrawing } from './write-drawing.ts'

/** A yellow page with a blue shape of lines and curves that has a hole. */
const DRAWING: Drawing = {
  width: 60,
  height: 40,
  layers: [
    {
      colour: [255, 210, 63],
      contours: [{ start: { x: 0, y: 0 }, segments: lines([60, 0], [60, 40], [0, 40], [0, 0]) }],
    },
    {
      colour: [27, 77, 137],
      contours: [
        {
          start: { x: 10, y: 10 },
          segments: [
            ...lines([40, 10]),
            { kind: 'curve', first: { x: 55, y: 10 }, second: { x: 55, y: 34 }, to: { x: 40, y: 34 } },
            ...lines([10, 34], [10, 10]),
          ],
        },
        { start: { x: 15, y: 15 }, segments: lines([15, 25], [25, 25], [25, 15], [15, 15]) },
      ],
    },
  ],
}

function lines(...places: readonly (readonly [number, number])[]) {
  return places.map(([x, y]) => ({ kind: 'line' as const, to: { x, y } }))
}

// The package exports the class itself; its types do not declare this.
const DxfParser = createRequire(import.meta.url)('dxf-parser') as typeof import('dxf-parser').DxfParser
const folder = mkdtempSync(join(tmpdir(), 'tollbook-formats-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const expected = drawSvg(
  `<svg xmlns="http://www.w3.org/2000/svg" width="60" height="40"><rect width="60" height="40" fill="rgb(255,210,63)"/>
   <path fill="rgb(27,77,137)" fill-rule="evenodd" d="M10 10H40C55 10 55 34 40 34H10ZM15 15H25V25H15Z"/></svg>`,
  60,
)

async function readPng(png: Uint8Array): Promise<Bitmap> {
  const { data, info } = await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, rgba: new Uint8Array(data) }
}

/** A document rendered by another program, at 72 pixels per inch. */
async function drawBy(program: 'gs' | 'pdftoppm', format: OutputFormat): Promise<Bitmap> {
  const [file, png] = [join(folder, `drawing.${format}`), join(folder, `${program}-${format}`)]
  writeFileSync(file, writeDrawing(DRAWING, format, 1))
  const smooth = ['-dGraphicsAlphaBits=4', '-dTextAlphaBits=4']
  const args =
    program === 'gs'
      ? [
          '-q',
          '-dBATCH',
          '-dNOPAUSE',
          '-dSAFER',
          '-sDEVICE=png16m',
          '-r72',
          '-dEPSCrop',
          ...smooth,
          `-sOutputFile=${png}.png`,
          file,
        ]
      : ['-r', '72', '-png', '-singlefile', file, png]
  const done = spawnSync(program, args, { encoding: 'utf8' })
  assert.equal(`${done.status} ${done.stderr}`, '0 ')
  return readPng(readFileSync(`${png}.png`))
}

function assertAlike(drawn: Bitmap): void {
  assert.deepEqual([drawn.width, drawn.height], [expected.width, expected.height])
  const ratio = psnr(expected, drawn)
  // Programs weight border pixels differently.
  assert.ok(ratio >= 28, `${ratio} dB`)
}

test('resvg renders the SVG as drawn', () => {
  assertAlike(drawSvg(writeDrawing(DRAWING, 'svg', 1).toString(), 60))
})

test('a PNG at scale 2 has twice the width and height, and unpainted areas are transparent', async () => {
  const page = { ...DRAWING, layers: DRAWING.layers.slice(1) }
  const { width, height, rgba } = await readPng(writeDrawing(page, 'png', 2))
  assert.deepEqual([width, height], [120, 80])
  const at = (x: number, y: number) => [...rgba.subarray(4 * (y * width + x), 4 * (y * width + x) + 4)]
  assert.deepEqual(
    [at(24, 24), at(40, 40), at(2, 2)],
    [
      [27, 77, 137, 255],
      [0, 0, 0, 0],
      [0, 0, 0, 0],
    ],
  )
})

for (const [program, format] of [
  ['gs', 'pdf'],
  ['gs', 'eps'],
  ['pdftoppm', 'pdf'],
] as const)
  test(`${program} renders the ${format.toUpperCase()} as drawn`, async (context) => {
    if (spawnSync(program, ['-v']).error) return context.skip(`${program} is not installed`)
    assertAlike(await drawBy(program, format))
  })

test('a DXF has a closed polyline for each contour on the layer of its colour, y upwards', () => {
  const read = new DxfParser().parseSync(writeDrawing(DRAWING, 'dxf', 2).toString())
  assert.ok(read)
  assert.deepEqual(Object.keys(read.tables.layer.layers), ['00_ffd23f', '01_1b4d89'])
  const polylines = read.entities as unknown as {
    layer: string
    shape: boolean
    vertices: { x: number; y: number }[]
  }[]
  assert.deepEqual(
    polylines.map(({ layer, shape }) => [layer, shape]),
    [
      ['00_ffd23f', true],
      ['01_1b4d89', true],
      ['01_1b4d89', true],
    ],
  )
  // Twice (15, 40 - 15), (15, 40 - 25) and so on.
  assert.deepEqual(
    polylines[2]?.vertices.map(({ x, y }) => [x, y]),
    [
      [30, 50],
      [30, 30],
      [50, 30],
      [50, 50],
    ],
  )
})

test('colours of the AutoCAD Color Index are mapped to themselves', () => {
  // The first rows of its table; 18 has half the brightness and half the saturation of red.
  assert.deepEqual(
    [
      [255, 0, 0],
      [0, 0, 0],
      [255, 127, 127],
      [255, 63, 0],
      [0, 255, 127],
      [84, 84, 84],
    ].map((colour) => nearestColourIndex(colour as [number, number, number])),
    [1, 7, 11, 20, 110, 251],
  )
})

test('a flattened quarter circle stays within its tolerance', () => {
  const handle = 100 * 0.5522847498
  const corners = flatten(
    {
      start: { x: 100, y: 0 },
      segments: [
        { kind: 'curve', first: { x: 100, y: handle }, second: { x: handle, y: 100 }, to: { x: 0, y: 100 } },
        ...lines([0, 0], [100, 0]),
      ],
    },
    0.05,
  )
  const arc = corners.filter(({ x, y }) => x > 0 || y === 100)
  for (const [at, { x, y }] of arc.entries()) {
    const next = arc[at + 1]
    // The midpoint of a chord is the furthest from the circle; the curve itself deviates by 0.03 at most.
    if (next && y < next.y) assert.ok(100 - Math.hypot((x + next.x) / 2, (y + next.y) / 2) < 0.08)
  }
  assert.ok(arc.length < 40, `${arc.length} corners`)
})

test('numbers are written as short as possible', () => {
  assert.deepEqual(
    [0, -0.001, 0.5, -0.25, 10, 100.1, 12.345, -3].map((value) => shortNumber(value)),
    ['0', '0', '.5', '-.25', '10', '100.1', '12.35', '-3'],
  )
})

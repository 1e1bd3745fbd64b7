import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { issuesOf, runEndpoint } from '@tollbook/testing/catalogue/run-endpoint'
import { createWorkerPool } from '@tollbook/workers/pool'
import sharp from 'sharp'
import { ICON_ATTRIBUTION } from '../../../../engines/icons/icon-set.ts'
import { SHAPES } from './background-shape.ts'
import { iconGenerate } from './endpoint.ts'

const workers = createWorkerPool({ threads: 1, deadlineScale: 100 })
after(() => workers.close())
const ask = (provided: object) => runEndpoint(iconGenerate, provided, { ports: { workers } })

/** Width, height and the colour of a pixel as hex with alpha, read by another library than the renderer. */
async function pixelsOf(answer: { readonly png_base64: string }) {
  const png = sharp(Buffer.from(answer.png_base64, 'base64'))
  const { data, info } = await png.ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  const at = (x: number, y: number) =>
    data.subarray((y * info.width + x) * 4, (y * info.width + x) * 4 + 4).toString('hex')
  return { width: info.width, height: info.height, at }
}

/** The bounds of a colour in rows and columns: left, top, right, bottom. */
function spanOf({ width, height, at }: Awaited<ReturnType<typeof pixelsOf>>, colour: string) {
  const span = { left: width, top: height, right: -1, bottom: -1 }
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (at(x, y) !== colour) continue
      span.left = Math.min(span.left, x)
      span.right = Math.max(span.right, x)
      span.top = Math.min(span.top, y)
      span.bottom = Math.max(span.bottom, y)
    }
  }
  return span
}

test("the example is the endpoint's answer", async () => {
  const { png_base64, data_uri, ...answer } = await ask(iconGenerate.example.input)
  const { png_base64: _png, data_uri: _uri, ...expected } = iconGenerate.example.output
  assert.deepEqual(answer, expected)
  assert.equal(data_uri, `data:image/png;base64,${png_base64}`)
  const { width, height } = await pixelsOf({ png_base64 })
  assert.deepEqual([width, height], [32, 32])
})

test('the document credits the authors, as in their files', async () => {
  const { svg, attribution, notice } = await ask({ icon: 'gear', size: 16 })
  const version =
    /<!--! Font Awesome Free ([\d.]+) by @fontawesome .* Changed: size, colour, background.-->/.exec(svg)?.[1]
  const licence = new URL('../../../../engines/icons/data/LICENSE.txt', import.meta.url)
  assert.ok(readFileSync(licence, 'utf8').includes(`\nFont Awesome Free ${version}, packed by`))
  assert.ok(attribution.startsWith(`Font Awesome Free ${version} `))
  assert.equal(attribution, ICON_ATTRIBUTION)
  assert.equal(notice, null)
  assert.match((await ask({ icon: 'github', size: 16 })).notice, /trademarks/)
})

test('every size is exact, in every shape', async () => {
  for (const [at, shape] of SHAPES.entries()) {
    for (const size of [16, 17, 255 + at]) {
      const { width, height } = await pixelsOf(await ask({ icon: 'rocket', size, shape }))
      assert.deepEqual([width, height], [size, size], `${shape} ${size}`)
    }
  }
  const large = await ask({ icon: 'rocket', size: 2048, formats: ['png'] })
  assert.deepEqual([(await pixelsOf(large)).width, large.svg], [2048, null])
})

test('shapes fill the area that their geometry defines', async () => {
  const size = 200
  const blue = '2563ebff'
  const nothing = '00000000'
  const sees = async (shape: string, x: number, y: number) =>
    (await pixelsOf(await ask({ icon: 'check', shape, size }))).at(x, y)
  // The corner pixel, then a pixel 24 from both edges: 0.88 of the half side off the middle.
  // Circle: 0.76 * sqrt(2) > 1, outside. Squircle: 2 * 0.76^4 = 0.67 < 1, inside. Rounded: radius 40, inside.
  const expected = { none: [nothing, nothing], circle: [nothing, nothing], square: [blue, blue] }
  const curved = { rounded: [nothing, blue], squircle: [nothing, blue] }
  for (const [shape, [corner, inner]] of Object.entries({ ...expected, ...curved })) {
    assert.equal(await sees(shape, 0, 0), corner, shape)
    assert.equal(await sees(shape, 24, 24), inner, shape)
  }
  // Squircle on the diagonal: 2 * d^4 = 1 at d = 0.8409, 15.9 pixels from the edge.
  assert.equal(await sees('squircle', 14, 14), nothing)
  assert.equal(await sees('squircle', 17, 17), blue)
})

test('padding is the distance to the edge, and nothing is cropped without it', async () => {
  // The outline of `square` is 448 wide and 448 high in a frame of 448 x 512.
  const drawn = { icon: 'square', shape: 'square', background: '#0000ff', color: '#ff0000', size: 512 }
  const inner = spanOf(await pixelsOf(await ask({ ...drawn, padding: 0.25 })), 'ff0000ff')
  // 256 pixels for 512 units: 224 pixels from 144 to 367.
  for (const [side, expected] of [
    ['left', 144],
    ['right', 367],
    ['top', 144],
    ['bottom', 367],
  ] as const)
    assert.ok(Math.abs(inner[side] - expected) <= 1, `${side} ${inner[side]}`)
  // `gear` reaches 16 units beyond its frame above and below.
  const gear = await pixelsOf(await ask({ ...drawn, icon: 'gear', padding: 0 }))
  const { top, bottom } = spanOf(gear, 'ff0000ff')
  assert.ok(top <= 2 && bottom >= 509, `${top} ${bottom}`)
  const upper = Array.from({ length: 512 }, (_, x) => gear.at(x, 0)).filter(
    (colour) => colour === 'ff0000ff',
  ).length
  assert.ok(upper < 200, 'the outline is cropped')
})

test('an icon rotates clockwise around its centre', async () => {
  const drawn = { icon: 'arrow-up', shape: 'none', color: '#ff0000', size: 128, padding: 0.1 }
  const turned = await pixelsOf(await ask({ ...drawn, rotate: 90 }))
  const straight = await pixelsOf(await ask(drawn))
  // A quarter turn takes (x, y) to (127 - y, x).
  let differing = 0
  for (let y = 0; y < 128; y++)
    for (let x = 0; x < 128; x++)
      if ((straight.at(x, y) === 'ff0000ff') !== (turned.at(127 - y, x) === 'ff0000ff')) differing++
  assert.ok(differing < 128 * 128 * 0.01, `${differing} pixels`)
})

test('a gradient runs as in CSS', async () => {
  const background = { from: '#ff0000', to: '#0000ff' }
  const colours = async (angle: number) => {
    const { at } = await pixelsOf(
      await ask({ icon: 'minus', shape: 'square', size: 64, background: { ...background, angle } }),
    )
    return [at(1, 1), at(62, 1), at(1, 62)].map((hex) =>
      Number.parseInt(hex.slice(0, 2), 16) > 128 ? 'red' : 'blue',
    )
  }
  assert.deepEqual(await colours(90), ['red', 'blue', 'red'])
  assert.deepEqual(await colours(180), ['red', 'red', 'blue'])
  assert.deepEqual(await colours(0), ['blue', 'blue', 'red'])
  const { at } = await pixelsOf(await ask({ icon: 'minus', shape: 'square', size: 64, background }))
  // 135 degrees run from the upper left corner to the lower right one, which have the pure colours except for
  // half a pixel.
  assert.match(at(0, 0), /^f[c-f]0000ff$|^f[c-f]0003ff$|^f[c-f]000[0-4]ff$/)
  assert.match(at(63, 63), /^0[0-4]00f[b-f]ff$/)
})

test('an icon without a background is dark by default, and colours may be translucent', async () => {
  for (const bare of [{ shape: 'none' }, { background: 'transparent' }]) {
    const { svg } = await ask({ icon: 'check', ...bare, formats: ['svg'] })
    assert.match(svg, /<g [^>]*fill="#000000">/)
  }
  const { svg, data_uri, png_base64 } = await ask({ icon: 'check', color: '#ff000080', formats: ['svg'] })
  assert.match(svg, /fill="#ff0000" fill-opacity="0.50196\d*"/)
  assert.equal(png_base64, null)
  assert.equal(Buffer.from(data_uri.split('base64,')[1], 'base64').toString(), svg)
})

test('former names and brands are supported', async () => {
  assert.equal((await ask({ icon: 'cog', size: 16 })).style, 'solid')
  assert.equal((await ask({ icon: 'github', size: 16 })).style, 'brands')
  assert.equal((await ask({ icon: 'star', style: 'regular', size: 16 })).style, 'regular')
})

test('invalid options are reported before payment', () => {
  const faulty = (provided: object) => issuesOf(iconGenerate, provided).map(({ parameter }) => parameter)
  for (const icon of ['no-such-icon', '../solid/gear', 'Gear', 'gear.svg', 'gear/../gear', 'constructor'])
    assert.deepEqual(faulty({ icon }), ['icon'], icon)
  assert.deepEqual(faulty({ icon: 'gear', style: 'regular' }), ['style'])
  assert.deepEqual(faulty({ icon: 'gear', color: 'red"/><script>' }), ['color'])
  assert.deepEqual(faulty({ icon: 'gear', background: { from: 'nothing', to: '#fff' } }), ['background.from'])
  for (const provided of [
    { size: 15 },
    { size: 2049 },
    { padding: 0.5 },
    { shape: 'star' },
    { formats: [] },
    { rotate: 361 },
  ])
    assert.equal(faulty({ icon: 'gear', ...provided }).length, 1, JSON.stringify(provided))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drawPhoto, drawSvg, iconSvg, psnr } from '@tollbook/testing/utility/images'
import sharp from 'sharp'
import { countNodes, type Drawing } from './image.ts'
import { type VectorizeOptions, vectorize } from './vectorize.ts'
import { toHexColour, writeSvg } from './write/svg.ts'

const OPTIONS: VectorizeOptions = {
  maxColours: 16,
  palette: null,
  minAreaPx: null,
  removesBackground: false,
}
const svgOf = (content: string, size = 64) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}">${content}</svg>`
const trace = (svg: string, options: Partial<VectorizeOptions> = {}, background: string | null = '#fff') => {
  const { width } = drawSvg(svg, 64, background)
  return vectorize(drawSvg(svg, width, background), { ...OPTIONS, ...options })
}
const coloursOf = ({ layers }: Drawing) => layers.map(({ colour }) => toHexColour(colour))

for (const name of ['solid/bell', 'brands/discord'])
  test(`the icon ${name} is reproduced at 34 dB or better`, () => {
    const bitmap = drawSvg(iconSvg(name), 512)
    const drawing = vectorize(bitmap, OPTIONS)
    const ratio = psnr(bitmap, drawSvg(writeSvg(drawing, 1), 512))
    assert.ok(ratio >= 34, `${ratio} dB`)
    assert.ok(countNodes(drawing) < 120, `${countNodes(drawing)} nodes`)
  })

test('a rectangle on whole pixels is four lines between its corners', () => {
  const drawing = trace(svgOf('<rect x="10" y="12" width="30" height="20" fill="#1b4d89"/>'))
  assert.deepEqual(coloursOf(drawing), ['#ffffff', '#1b4d89'])
  const [contour] = drawing.layers[1]?.contours ?? []
  assert.ok(contour?.segments.every(({ kind }) => kind === 'line'))
  const corners = contour?.segments.map(({ to }) => `${to.x},${to.y}`).toSorted()
  assert.deepEqual(corners, ['10,12', '10,32', '40,12', '40,32'])
})

test('a rectangle with fractional coordinates keeps its corners', () => {
  const drawing = trace(svgOf('<rect x="10.25" y="12.25" width="30.5" height="20.5" fill="#1b4d89"/>'))
  const [contour] = drawing.layers[1]?.contours ?? []
  assert.ok(contour?.segments.every(({ kind }) => kind === 'line'))
  const corners = contour?.segments.map(({ to }) => `${to.x.toFixed(2)},${to.y.toFixed(2)}`).toSorted()
  assert.deepEqual(corners, ['10.25,12.25', '10.25,32.75', '40.75,12.25', '40.75,32.75'])
})

test('the curves of a disc stay within a tenth of a pixel of its circle', () => {
  const drawing = trace(svgOf('<circle cx="32" cy="31" r="20" fill="#000"/>'))
  const [contour] = drawing.layers[1]?.contours ?? []
  assert.ok(contour)
  assert.ok(contour.segments.length <= 8, `${contour.segments.length} curves`)
  for (const { to } of contour.segments) {
    const off = Math.abs(Math.hypot(to.x - 32, to.y - 31) - 20)
    assert.ok(off < 0.1, `${off}`)
  }
})

test('adjacent areas leave no gap', () => {
  const drawing = trace(
    svgOf(
      '<rect width="64" height="64" fill="#d21f3c"/><rect x="33.5" width="31" height="64" fill="#1b4d89"/>',
    ),
  )
  const { rgba } = drawSvg(writeSvg(drawing, 1), 64, '#0f0')
  // The green of the page would show through: neither colour has more than 77 of it.
  for (let at = 1; at < rgba.length; at += 4) assert.ok((rgba[at] ?? 0) <= 80, `pixel ${(at - 1) / 4}`)
})

test('lines too thin to have an interior keep their colour', () => {
  const drawing = trace(svgOf('<path d="M4 10.3H60M5 5L50 60" stroke="#000" stroke-width="1.6"/>'))
  assert.equal(coloursOf(drawing).length, 2)
  const [, line] = drawing.layers
  assert.ok(Math.max(...(line?.colour ?? [255])) < 40, `${line?.colour}`)
})

test('transparent areas stay transparent, and opaque ones keep their colour', () => {
  const drawing = trace(svgOf('<circle cx="32" cy="32" r="20" fill="#ffd23f"/>'), {}, null)
  assert.deepEqual(coloursOf(drawing), ['#ffd23f'])
})

test('the background is the most frequent colour along the edge, and a hole of its colour stays', () => {
  const ring = svgOf('<circle cx="32" cy="32" r="20" fill="none" stroke="#0f766e" stroke-width="8"/>')
  const drawing = trace(ring, { removesBackground: true })
  const { rgba } = drawSvg(writeSvg(drawing, 1), 64, null)
  const alphaAt = (x: number, y: number) => rgba[4 * (y * 64 + x) + 3]
  assert.deepEqual([alphaAt(2, 2), alphaAt(32, 32), alphaAt(32, 12)], [0, 255, 255])
})

test('at most the requested number of colours is used, or exactly the given palette', () => {
  const stripes = ['#e00', '#0a0', '#00e', '#ee0', '#0ee']
    .map((colour, at) => `<rect x="${at * 12}" width="12" height="64" fill="${colour}"/>`)
    .join('')
  assert.equal(coloursOf(trace(svgOf(stripes))).length, 6)
  assert.ok(coloursOf(trace(svgOf(stripes), { maxColours: 3 })).length <= 3)
  const provided = trace(svgOf(stripes), {
    palette: [
      [200, 0, 0],
      [0, 0, 100],
    ],
  })
  assert.deepEqual(coloursOf(provided).toSorted(), ['#000064', '#c80000'])
})

test('areas below the minimum area are merged into their surroundings', () => {
  const spots = svgOf('<rect x="8" y="8" width="3" height="3"/><rect x="30" y="30" width="20" height="20"/>')
  const contoursOf = (minAreaPx: number | null) =>
    trace(spots, { minAreaPx }).layers.flatMap(({ contours }) => contours).length
  // The page and two spots; 3 x 3 pixels are 9.
  assert.deepEqual([contoursOf(null), contoursOf(10)], [3, 2])
})

test('a photo-like image is reproduced at 24 dB or better', () => {
  const bitmap = drawPhoto(240, 160)
  const drawing = vectorize(bitmap, { ...OPTIONS, maxColours: 32 })
  const ratio = psnr(bitmap, drawSvg(writeSvg(drawing, 1), 240))
  assert.ok(ratio >= 24, `${ratio} dB`)
})

test('images of one pixel, one row or one column are traced', () => {
  for (const [width, height] of [
    [1, 1],
    [40, 1],
    [1, 40],
  ] as const) {
    const rgba = Uint8Array.from({ length: width * height * 4 }, (_, at) => (at % 4 === 3 ? 255 : 40))
    const drawing = vectorize({ width, height, rgba }, OPTIONS)
    const drawn = drawSvg(writeSvg(drawing, 1), width)
    assert.deepEqual([...new Set(drawn.rgba)].toSorted(), [255, 40], `${width} by ${height}`)
  }
})

test('an image of single pixels all over is refused before it is traced', () => {
  const side = 720
  // 2 x 720 x 719 sides of pixels, each drawn as 3 by 3 cells: 3,106,080 of at most 2,000,000.
  const rgba = Uint8Array.from({ length: side * side * 4 }, (_, at) => {
    const pixel = at >> 2
    return at % 4 === 3 || (pixel + Math.floor(pixel / side)) % 2 === 0 ? 255 : 0
  })
  assert.throws(() => vectorize({ width: side, height: side, rgba }, OPTIONS), {
    name: 'Undecodable',
    message: /too much fine detail/,
  })
})

/** Squares of pixels all over an image, of the colours that `colourOf` gives to their columns and rows. */
function drawSquares(
  side: number,
  size: number,
  colourOf: (column: number, row: number) => readonly number[],
) {
  const rgba = new Uint8Array(side * side * 4).fill(255)
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++)
      rgba.set(colourOf(Math.floor(x / size), Math.floor(y / size)), 4 * (y * side + x))
  return { width: side, height: side, rgba }
}

test('refusing an image takes a small part of the work of tracing one of its size', () => {
  const grey = (column: number, row: number) => Array<number>(3).fill((column + row) % 2 === 0 ? 0 : 255)
  const cpuOf = (size: number) => {
    const before = process.cpuUsage()
    const image = drawSquares(720, size, grey)
    try {
      vectorize(image, OPTIONS)
    } catch {}
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  // Squares of 5 pixels are traced, single pixels are refused. Measured: 20 times as much.
  const [refused, traced] = [cpuOf(1), cpuOf(5)]
  assert.ok(refused * 3 < traced, `${refused} and ${traced} microseconds`)
})

test('a photo with too much fine detail is softened and traced', () => {
  // 1,224 x 1,224 pixels in squares of 2: about 1.5 million sides, in up to 128 colours.
  const colour = (column: number, row: number) => [
    (column * 37 + row * 91) % 256,
    (column * 53 + row * 17) % 256,
    (column * 11 + row * 29) % 256,
  ]
  const drawing = vectorize(drawSquares(1_224, 2, colour), { ...OPTIONS, maxColours: 128 })
  assert.ok(drawing.layers.length > 0)
})

/** A drawing as a JPEG or WebP with colours at half the resolution, as cameras and most tools store it. */
async function asLossy(svg: string, quality: number, { isWebp = false } = {}) {
  const { width, height, rgba } = drawSvg(svg, 300, '#fff')
  const opaque = sharp(rgba, { raw: { width, height, channels: 4 } }).removeAlpha()
  const file = isWebp ? opaque.webp({ quality }) : opaque.jpeg({ quality, chromaSubsampling: '4:2:0' })
  const data = await sharp(await file.toBuffer())
    .ensureAlpha()
    .raw()
    .toBuffer()
  return { width, height, rgba: new Uint8Array(data) }
}

const LOGO = svgOf(
  '<circle cx="80" cy="100" r="60" fill="#e4572e"/><circle cx="80" cy="100" r="30" fill="#fff"/><path d="M170 40h110l-30 60h30v60H170z" fill="#17324d"/>',
  300,
)

test('a logo has no more colours and areas as a JPEG or a lossy WebP than as a PNG', async () => {
  for (const quality of [95, 75, 50, -80]) {
    const image = await asLossy(LOGO, Math.abs(quality), { isWebp: quality < 0 })
    const drawing = vectorize(image, { ...OPTIONS, isLossy: true })
    // The page, its two colours, and the disc in the ring.
    assert.equal(drawing.layers.length, 3, `${quality}: ${coloursOf(drawing)}`)
    const contours = drawing.layers.reduce((sum, layer) => sum + layer.contours.length, 0)
    const exact = trace(LOGO).layers.reduce((sum, layer) => sum + layer.contours.length, 0)
    assert.equal(contours, exact, `${quality}`)
    const ratio = psnr(drawSvg(LOGO, 300, '#fff'), drawSvg(writeSvg(drawing, 1), 300))
    assert.ok(ratio >= 36, `${quality}: ${ratio} dB`)
  }
})

test('thin lines of a JPEG keep a colour of their own', async () => {
  const lines = [40, 60, 80].map((y) => `<path d="M20 ${y}.5h260" stroke="#c00000" stroke-width="1"/>`)
  const svg = svgOf(`${lines.join('')}<path d="M20 120h260v100H20z" fill="#17324d"/>`, 300)
  const drawing = vectorize(await asLossy(svg, 90), { ...OPTIONS, isLossy: true })
  const isRed = ([red, green, blue]: readonly number[]) =>
    (red ?? 0) > (green ?? 0) + 60 && (red ?? 0) > (blue ?? 0) + 60
  assert.ok(
    drawing.layers.some(({ colour }) => isRed(colour)),
    `${coloursOf(drawing)}`,
  )
})

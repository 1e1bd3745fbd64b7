import type { Browser } from 'playwright-core'
import sharp from 'sharp'
import type { Form } from './ocr-tables-documents.ts'

/** A form as a picture, with the faults of its variant. */
export async function drawForm(browser: Browser, { html, variant }: Form, seed: number): Promise<Buffer> {
  const page = await browser.newPage({
    viewport: { width: 900, height: 300 },
    deviceScaleFactor: variant.dpi / 96,
  })
  await page.setContent(html)
  const png = await page.locator('body').screenshot()
  await page.close()
  return await spoil(png, variant, seed)
}

async function spoil(png: Buffer, { fault, angle }: Form['variant'], seed: number): Promise<Buffer> {
  const image = sharp(png)
  switch (fault) {
    case 'noise':
      return await sharp(await addNoise(png, seed))
        .png()
        .toBuffer()
    case 'skew':
      return await image.rotate(angle, { background: '#fff' }).png().toBuffer()
    case 'jpeg':
      return await image.jpeg({ quality: 35 }).toBuffer()
    case 'blur':
      return await image.blur(0.9).jpeg({ quality: 75 }).toBuffer()
    default:
      return await image.png().toBuffer()
  }
}

/** Gray noise and specks; the same for a seed. */
async function addNoise(png: Buffer, seed: number): Promise<Buffer> {
  const { data, info } = await sharp(png).grayscale().raw().toBuffer({ resolveWithObject: true })
  let state = seed + 1
  const next = () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
  const noisy = data.map((value) => {
    const speck = next()
    if (speck < 0.002) return 40
    return Math.max(0, Math.min(255, Math.round(value * 0.88 + (next() + next() + next() - 1.5) * 40)))
  })
  const { width, height, channels } = info
  return await sharp(noisy, { raw: { width, height, channels } }).png().toBuffer()
}

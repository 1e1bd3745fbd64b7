import { renderAsync } from '@resvg/resvg-js'
import type { Page } from '@tollbook/http/page'
import { toRenderedText } from '@tollbook/http/reply/rendered-text'
import { html } from 'hono/html'
import type { Service } from '../service.ts'

export const ICON_PATH = '/icon.svg'
export const PREVIEW_PATH = '/preview.png'

/** The size that sites crop their previews to: https://ogp.me/#structured. */
export const PREVIEW_SIZE = { width: 1200, height: 630 } as const
const MAX_AGE_SECONDS = 3600
const LINE_LENGTH = 56
const MAX_LINES = 5

/** Icon and link preview of a service, unless it has its own. */
export function buildBrand(
  service: Pick<Service, 'title' | 'description'>,
  startedAt: Date,
): Readonly<Record<string, Page>> {
  const icon = {
    kind: 'document',
    content: toRenderedText(ICON),
    contentType: 'image/svg+xml; charset=utf-8',
    maxAgeSeconds: MAX_AGE_SECONDS,
    lastModified: startedAt,
  } as const
  let preview: Promise<Uint8Array<ArrayBuffer>> | undefined
  return {
    [ICON_PATH]: () => icon,
    [PREVIEW_PATH]: async () => {
      preview ??= renderPreview(service)
      const headers = { 'content-type': 'image/png', 'cache-control': `public, max-age=${MAX_AGE_SECONDS}` }
      return new Response(await preview, { headers })
    },
  }
}

/** Turns an SVG of `PREVIEW_SIZE` into a PNG. Text takes a font of the machine; without one it is left out. */
export async function toPng(svg: string): Promise<Uint8Array<ArrayBuffer>> {
  const image = await renderAsync(svg, { font: { loadSystemFonts: true, defaultFontFamily: 'DejaVu Sans' } })
  return new Uint8Array(image.asPng())
}

async function renderPreview({ title, description }: Pick<Service, 'title' | 'description'>) {
  const lines = toLines(description).map(
    (line, at) => html`<text x="80" y="${370 + at * 48}" font-size="34" fill="#5d6b66">${line}</text>`,
  )
  return toPng(
    String(
      await html`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${PREVIEW_SIZE.width}" height="${PREVIEW_SIZE.height}" font-family="sans-serif">
<rect width="1200" height="630" fill="#fbfaf7"/><rect width="1200" height="16" fill="#0b6e5b"/>
<image x="80" y="80" width="120" height="120" xlink:href="data:image/svg+xml;base64,${Buffer.from(ICON).toString('base64')}"/>
<text x="80" y="300" font-size="64" font-weight="700" fill="#1c2421">${title}</text>
${lines}
</svg>`,
    ),
  )
}

function toLines(text: string): readonly string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last !== '' && last.length + word.length >= LINE_LENGTH) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`.trim()
  }
  return lines.slice(0, MAX_LINES)
}

/** The mark of the product: an open book. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b6e5b"/><path d="M5 9c4-1.6 8-1.2 11 1.2C19 7.800 23 7.400 27 9v15c-4-1.600-8-1.200-11 1.200C13 22.800 9 22.400 5 24z" fill="#fbfaf7"/><path d="M16 10.200v15" stroke="#0b6e5b" stroke-width="1.600"/><path d="M8 13.200c2-.5 3.800-.4 5.400.3M8 17.200c2-.5 3.800-.4 5.400.3M24 13.200c-2-.5-3.800-.4-5.400.3M24 17.200c-2-.5-3.800-.4-5.400.3" stroke="#0b6e5b" stroke-width="1.500" fill="none" stroke-linecap="round"/></svg>\n`

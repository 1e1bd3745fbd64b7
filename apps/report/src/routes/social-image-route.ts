import { PREVIEW_SIZE, toPng } from '@tollbook/endpoints/documents/brand'
import { COLORS } from '@tollbook/endpoints/documents/style'
import { toRenderedText } from '@tollbook/http/reply/rendered-text'
import type { MerchantReport } from '@tollbook/verify/build/merchant-report'
import { toSpan } from '@tollbook/verify/build/window'
import { html } from 'hono/html'
import { showAddress, showCount, showPassing, showSum } from '../pages/figures-text.ts'
import { withoutName } from '../pages/merchant-name.ts'
import { shareOfUsd } from '../pages/share-bar.ts'
import { defineRead, textOf } from './reads/define-read.ts'
import { MERCHANT_READ } from './reads/parameters.ts'
import { findReport, freshnessOf, parseReport } from './reads/requested-report.ts'

/** The preview image of a report, for sites that show links to its page. */
export const socialImage = defineRead({
  id: 'social-image',
  path: '/merchants/base/{address}/preview.png',
  summary: 'The report as an image of 1200x630 pixels, for link previews',
  ...MERCHANT_READ,
  output: textOf('image/png'),
  async answer({ input, ports }) {
    const stored = await findReport(input, ports)
    const isNamed = stored.is_name_confirmed === 1
    const key = `preview/${stored.etag}/${isNamed}`
    // The cache holds texts, so the image is in base64 there.
    const image = await ports.cache.render(key, async () => {
      const report = parseReport(stored)
      const png = await toPng(await renderSocialImage(isNamed ? report : withoutName(report)))
      return toRenderedText(Buffer.from(png).toString('base64'))
    })
    return {
      kind: 'document',
      content: {
        etag: image.etag,
        async *open() {
          yield Buffer.from(image.body, 'base64')
        },
      },
      contentType: 'image/png',
      ...freshnessOf(stored, ports),
    }
  },
})

/** Longer names are cut. */
const MAX_NAME = 34

/** An SVG of name, real and reported dollars, flags; without a font only the bar of the passing share. */
async function renderSocialImage(report: MerchantReport): Promise<string> {
  const { name, address, usd, real_usd, tx, real_tx, flags, window, last_seen_week: end } = report
  const share = shareOfUsd(report)
  const title = name === address ? showAddress(address) : name
  const kinds = Object.keys(flags)
  const text = (y: number, size: number, fill: string, content: string, weight = 400) =>
    html`<text x="80" y="${y}" font-size="${size}" font-weight="${weight}" fill="${fill}">${content}</text>`
  const [ink, muted, passing, reported] = [
    COLORS.ink[0],
    COLORS.muted[0],
    COLORS.passing[0],
    COLORS.reported[0],
  ]
  const svg = html`<svg xmlns="http://www.w3.org/2000/svg" width="${PREVIEW_SIZE.width}" height="${PREVIEW_SIZE.height}" font-family="sans-serif">
<rect width="1200" height="630" fill="${COLORS.ground[0]}"/><rect width="1200" height="16" fill="${passing}"/>
${text(120, 34, muted, `x402 payments, ${toSpan(window.days)} to ${end}`)}
${text(195, 56, ink, title.length > MAX_NAME ? `${title.slice(0, MAX_NAME - 1)}…` : title, 700)}
${text(330, 96, passing, `${showSum(real_usd, real_tx)} real`, 700)}
${text(395, 42, ink, `of ${showSum(usd, tx)} reported (${showPassing(share)} passes every screen)`)}
<rect x="80" y="430" width="1040" height="34" rx="17" fill="${reported}"/>${share === null || share === 0 ? '' : html`<rect x="80" y="430" width="${Math.max(34, Math.round(1040 * share))}" height="34" rx="17" fill="${passing}"/>`}
${text(525, 32, ink, `${showCount(real_tx)} of ${showCount(tx)} payments pass. ${kinds.length === 0 ? 'No flags.' : `Flags: ${kinds.join(', ')}.`}`)}
${text(580, 26, muted, 'Tollbook. A flag is a pattern, not a finding of wrongdoing.')}
</svg>`
  return String(await svg)
}

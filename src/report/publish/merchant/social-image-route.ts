import * as z from 'zod'
import { toRenderedText } from '../../../http/reply/rendered-text.ts'
import { withoutName } from '../pages/merchant-name.ts'
import { defineRead, textOf } from '../serving/define-read.ts'
import { checkVersion, EXAMPLE_ADDRESS, MERCHANT_PATTERNS, merchant, version } from '../serving/parameters.ts'
import { findReport, maxAgeOf, parseReport } from './requested-report.ts'
import { renderSocialImage } from './social-image.ts'

/** The preview image of a report, for sites that show links to its page. */
export const socialImage = defineRead({
  id: 'social-image',
  path: '/merchants/base/{address}/preview.png',
  summary: 'The report as an image of 1200x630 pixels, for link previews',
  input: z.object({ address: merchant, ...version }),
  output: textOf('image/png'),
  example: { address: EXAMPLE_ADDRESS },
  pathPatterns: MERCHANT_PATTERNS,
  check: checkVersion,
  async answer({ input, ports }) {
    const stored = await findReport(input, ports)
    const isNamed = stored.is_name_confirmed === 1
    const key = `preview/${stored.etag}/${isNamed}`
    // The cache holds texts, so the image is in base64 there.
    const image = await ports.cache.render(key, async () => {
      const report = parseReport(stored)
      const png = await renderSocialImage(isNamed ? report : withoutName(report))
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
      lastModified: new Date(stored.changed_at),
      maxAgeSeconds: maxAgeOf(stored, ports),
    }
  },
})

import type { Service } from '@tollbook/endpoints/service'
import type { Row } from '@tollbook/runtime/process/announce'
import { describeEndpoint } from '@tollbook/runtime/selling/describe-endpoint'
import type { UtilityPorts } from '../ports.ts'

const ADD_TRANSLATION = 'npx node src/main.ts models add bergamot-en-es'
/** What enables an endpoint that is not configured. */
const ENABLED_BY: Readonly<Record<string, string>> = {
  '/api/search':
    'npx node src/main.ts import pages <sitemap URL>, or TOLLBOOK_SEARXNG_URL=<URL> npm start, or unset TOLLBOOK_MEDIAWIKI_URL; npm start (see docs/search.md)',
  '/api/translate-text': `${ADD_TRANSLATION}, or TOLLBOOK_LIBRETRANSLATE_URL=<URL> npm start (see docs/translate.md)`,
  '/api/generate-image': 'TOLLBOOK_IMAGE_URL=<URL> npm start (see docs/generate-image.md)',
}

/** A line for each endpoint that needs a model or an upstream: whether it is sold, or how to enable it. */
export function describeUtility(services: readonly Service[]): readonly Row[] {
  const of = (name: string, path: string, describe: (service: Service) => string = () => 'sold') =>
    describeEndpoint({ name, path, services, enabledBy: ENABLED_BY[path], describe })
  return [
    ...of('search', '/api/search'),
    ...of('translation', '/api/translate-text', describeTranslation),
    ...of('OCR', '/api/scrape', describeOcr),
    ...of('images', '/api/generate-image'),
  ]
}

function describeTranslation({ ports }: Service): string {
  // Those of the service, from openService.
  const { providers } = (ports as UtilityPorts).translator
  return `sold: ${providers.join(', ')}; other pairs with ${ADD_TRANSLATION}`
}

function describeOcr({ ports }: Service): string {
  return (ports as UtilityPorts).ocr ? 'sold: tesseract, English' : 'not sold: npm ci --include=optional'
}

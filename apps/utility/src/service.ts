import type { Endpoint } from '@tollbook/endpoints/endpoint'
import { loadEndpoints } from '@tollbook/endpoints/load'
import type { Service } from '@tollbook/endpoints/service'
import type { UtilityPorts } from './ports.ts'

type Options = {
  readonly baseUrl: string
  readonly ports: UtilityPorts
  /** Further endpoints sold in addition to its own; they use the same ports. */
  readonly mounted?: readonly Endpoint[]
}

/** The most useful of each family. */
const TOOLS = [
  'search',
  'scrape',
  'summarize',
  'translate-text',
  'messages',
  'generate-image',
  'calc',
  'data-convert',
  'qr',
  'vectorize',
  'icon-generate',
  'dns',
  'ping',
  'uptime-report',
  'email-verify',
  'geo',
  'timezone',
  'seo-metadata',
  'a11y-check',
  'scratchpad.put',
  'scratchpad.get',
  'store.append',
  'store.query',
]

/** The utility service: small tasks for agents, a few cents or less each. */
export async function createUtilityService({ baseUrl, ports, mounted = [] }: Options): Promise<Service> {
  const endpoints = [...(await loadEndpoints(new URL('.', import.meta.url))), ...mounted]
  return {
    name: 'utility',
    title: 'Tollbook Utility',
    description:
      'QR codes, exact arithmetic, data conversion, colour contrast, accessibility of pages, image alt texts, DNS, e-mail verification, uptime checks, time zones, IP locations, icons, images from prompts, translations, pages as Markdown, summaries, search, a store for rows and scratchpads, answers of a language model, paid per call over x402.',
    baseUrl,
    endpoints,
    // Those of the messages dialect are not always mounted.
    tools: TOOLS.filter((tool) => endpoints.some(({ id }) => id === tool)),
    ports,
  }
}

import { readFileSync } from 'node:fs'
import type { Endpoint } from '@tollbook/endpoints/endpoint'
import { startDnsServer, type Zone } from '@tollbook/testing/servers/dns-server'
import { type ServedPage, servePages } from '@tollbook/testing/servers/serve-pages'
import sharp from 'sharp'

type Input = Readonly<Record<string, unknown>>

const SENTENCES = [
  'The harbour wall of Saint-Malo was raised by two metres after the storm flooded the market.',
  'Fishermen had asked for it for thirty years, and paid for half of the stones themselves.',
  'The council says that the raised wall will hold the sea back until the end of the century.',
]
const ARTICLE = `<!doctype html><html lang="en"><head><title>Harbour wall raised</title></head><body><main>
<h1>Harbour wall raised</h1><p>${SENTENCES.join('</p><p>')}</p><img src="wall.jpg" alt="The wall at low water">
</main></body></html>`

/** Of the two segments of the example of /api/translate-text. */
const TRANSLATED = ['La casa', `La casa ${keep(0)}pequeña${keep(1)} está cerca de ${keep(2)}.`] as const

function keep(mask: number): string {
  return `<span translate="no">${mask}</span>`
}

const toJson = (body: string): ServedPage => ({ headers: { 'content-type': 'application/json' }, body })

const MAIL: Zone[string] = { A: ['192.0.2.10'], MX: [[5, 'mail.example.com']] }
const SEARCH = new URL('../../apps/utility/src/search/', import.meta.url)
/** REFUSED, which is an answer of the server and not of the domain. */
const REFUSED = 5

/** A name that no server answers for, and an address where nothing listens. */
export const DOWN = { name: 'down.example', origin: 'http://127.0.0.1:1' }

/**
 * What the examples of endpoints name, on loopback: a site that has each of their pages, their domains, and
 * upstreams for searches, pictures, transcripts and translations in addition to the pages.
 */
export async function startExampleWorld(endpoints: readonly Endpoint[]) {
  const inputs = endpoints.map(({ example }) => example.input as Input)
  const image = await sharp({ create: { width: 48, height: 48, channels: 3, background: '#0f766e' } })
    .png()
    .toBuffer()
  const results = readFileSync(new URL('upstream/golden/searxng.json', SEARCH), 'utf8')
  const pages: Record<string, ServedPage | string> = {
    '/search': toJson(results),
    // In the forms of OpenAI and LibreTranslate.
    '/v1/images/generations': toJson(JSON.stringify({ data: [{ b64_json: image.toString('base64') }] })),
    '/languages': toJson(JSON.stringify([{ code: 'en', name: 'English', targets: ['es'] }])),
    '/v1/audio/transcriptions': toJson(JSON.stringify({ text: 'Hello.', language: 'english' })),
    '/translate': toJson(JSON.stringify({ translatedText: TRANSLATED })),
  }
  for (const url of inputs.flatMap((input) => Object.values(input)).filter(isUrl)) {
    const { pathname } = new URL(url)
    const isImage = /\.(png|jpe?g|webp|gif|bmp)$/.test(pathname)
    pages[pathname] = isImage ? { headers: { 'content-type': 'image/png' }, body: image } : ARTICLE
  }
  const names = inputs.flatMap((input) => Object.values(input)).flatMap(nameIn)
  const dns = await startDnsServer({
    ...Object.fromEntries(names.map((name) => [name, MAIL])),
    [DOWN.name]: { rcode: REFUSED },
  })
  const site = await servePages(pages)
  return {
    site: site.url,
    dns: dns.address,
    async close() {
      site.close()
      await dns.close()
    },
  }
}

/** Whether an endpoint calls another host: the example names a page, a domain or a mailbox. */
export function asksTarget({ example }: Endpoint): boolean {
  return Object.values(example.input as Input).some((value) => isUrl(value) || nameIn(value).length > 0)
}

export function asksPage({ example }: Endpoint): boolean {
  return Object.values(example.input as Input).some(isUrl)
}

/** An input whose pages have another origin, and whose domains are different. */
export function leadTo(input: Input, { origin, name }: { readonly origin: string; readonly name?: string }) {
  const lead = (value: unknown) => {
    if (isUrl(value)) return origin + new URL(value).pathname
    const [domain] = name === undefined ? [] : nameIn(value)
    return domain === undefined ? value : String(value).replace(DOMAIN_AT_END, `${name}`)
  }
  return Object.fromEntries(Object.entries(input).map(([field, value]) => [field, lead(value)]))
}

const DOMAIN_AT_END = /[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}$/i

function isUrl(value: unknown): value is string {
  return typeof value === 'string' && /^https?:\/\/\S+$/.test(value)
}

/** The domain of a value that is a domain or a mailbox. */
function nameIn(value: unknown): string[] {
  if (typeof value !== 'string' || !/^(?:[^\s@/]+@)?(?:[a-z0-9-]+\.)+[a-z]{2,}$/i.test(value)) return []
  return [DOMAIN_AT_END.exec(value)?.[0].toLowerCase() ?? '']
}

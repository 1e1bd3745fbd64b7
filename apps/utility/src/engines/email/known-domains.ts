import { readFile } from 'node:fs/promises'

/** Lists of disposable and free mail domains. */
export type KnownDomains = {
  isDisposable(domain: string): boolean
  /** Whether anyone can get an address of the domain for free. */
  isFree(domain: string): boolean
}

let loaded: Promise<KnownDomains> | undefined

/** Reads the lists on first use: about 50 ms and 15 MB. */
export function loadKnownDomains(): Promise<KnownDomains> {
  loaded ??= readLists()
  return loaded
}

async function readLists(): Promise<KnownDomains> {
  const asJson = { with: { type: 'json' } } as const
  const [exact, wildcard, free] = await Promise.all([
    import('disposable-email-domains/index.json', asJson),
    // Each domain also covers its subdomains.
    import('disposable-email-domains/wildcard.json', asJson),
    readLines('data/free-providers.txt'),
  ])
  const disposable = new Set<string>(exact.default)
  const wildcards = new Set<string>(wildcard.default)
  const providers = new Set(free)
  return {
    isDisposable: (domain) =>
      disposable.has(domain) || parentsOf(domain).some((parent) => wildcards.has(parent)),
    isFree: (domain) => providers.has(domain),
  }
}

/** A domain and its parent domains, down to two labels. */
function parentsOf(domain: string): readonly string[] {
  const labels = domain.split('.')
  return labels.slice(0, -1).map((_, at) => labels.slice(at).join('.'))
}

async function readLines(file: string): Promise<readonly string[]> {
  const text = await readFile(new URL(file, import.meta.url), 'utf8')
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}

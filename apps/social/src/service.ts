import { loadEndpoints } from '@tollbook/endpoints/load'
import type { Service } from '@tollbook/endpoints/service'
import type { Page } from '@tollbook/http/page'
import type { SocialPorts } from './ports.ts'

type Options = {
  readonly baseUrl: string
  readonly ports: SocialPorts
  /** The sign-in pages. */
  readonly pages: Readonly<Record<string, Page>>
}

/** The social service: public data of a social network in the format of the X API v2. */
export async function createSocialService({ baseUrl, ports, pages }: Options): Promise<Service> {
  const endpoints = await loadEndpoints(new URL('.', import.meta.url))
  return {
    name: 'social',
    title: 'Tollbook Social',
    description:
      'Tweets, profiles, Lists, articles and communities of a social network in the shape of the X API v2, paid per call over x402.',
    baseUrl,
    endpoints,
    tools: endpoints.map(({ id }) => id),
    ports,
    pages,
    registerMetrics: (registry) => ports.provider.registerMetrics?.(registry),
  }
}

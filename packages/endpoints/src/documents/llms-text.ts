import { BASE, type Network } from '@tollbook/chain/network'
import type { Endpoint } from '../endpoint.ts'
import { takesPostRead } from '../routes/path-routes.ts'
import { unavailabilityOf } from '../routes/read-availability.ts'
import { MCP_PATH, type Service } from '../service.ts'
import { buildCurl } from './call-example.ts'
import { listingPrice } from './listing.ts'
import { describeService } from './money-note.ts'
import { listParameters } from './parameters.ts'

/** A service's endpoints, and how to pay for them if they are not free, for language models (llmstxt.org). */
export function renderLlmsText(service: Service): string {
  const { baseUrl, endpoints, guide } = service
  const isPaid = endpoints.some(({ pricing }) => pricing.kind !== 'free')
  const byPrice = [...endpoints].sort((a, b) => Number(listingPrice(a)) - Number(listingPrice(b)))
  return `# ${service.title}

> ${describeService(service)}

${isPaid ? `${howToPay(service.network)} ` : ''}Each error has a code: ${baseUrl}/problems
${isPaid ? 'Reads accept GET with a query, and POST with the same fields as JSON.\n' : ''}${guide === undefined ? '' : `\n${guide}\n`}
- [OpenAPI](${baseUrl}/openapi.json)
${isPaid ? `- [Discovery](${baseUrl}/discovery/resources): payment requirements and schemas of every endpoint\n` : ''}${service.tools ? `- [MCP server](${baseUrl}${MCP_PATH}): the same endpoints as tools, streamable HTTP\n` : ''}- [HTML page](${baseUrl}/)

## Endpoints
${byPrice.map((endpoint) => renderEndpoint(service, endpoint)).join('')}`
}

const howToPay = ({
  title,
}: Network = BASE) => `No account and no key: each call is paid in USDC on ${title} through x402 (versions 2 and 1) or MPP. Call an endpoint without
payment and it answers 402 with the header PAYMENT-REQUIRED (base64 of JSON: payment requirements, resource, input schema).
Sign the requirements, send the same request again with the header PAYMENT-SIGNATURE, and the answer carries
PAYMENT-RESPONSE with the transaction. Clients such as @x402/fetch, x402-fetch and mppx do all of
this. A refused call is never charged.`

function renderEndpoint(service: Service, endpoint: Endpoint): string {
  const sharing = service.endpoints.filter((other) => other.path === endpoint.path)
  const methods = takesPostRead(endpoint, sharing) ? 'GET or POST' : endpoint.method
  const unavailability = unavailabilityOf(service, endpoint)
  const parameters = listParameters(endpoint).map(({ name, takes, isRequired, standard, description }) => {
    const notes = [takes, isRequired ? 'required' : null, standard && `default ${standard}`]
    return `- \`${name}\` (${notes.filter(Boolean).join(', ')})${description && `: ${description}`}`
  })
  return `
### ${methods} ${endpoint.path}
${sayPrice(endpoint)}. ${endpoint.description}
${unavailability ? `Currently ${unavailability.short}: ${unavailability.detail}\n` : ''}${parameters.join('\n')}
Example: \`${buildCurl(service, endpoint)}\`
`.replaceAll('\n\n', '\n')
}

/** The human-readable price, such as `$0.01` or `$0.001 to $0.015, metered`. */
export function sayPrice({ pricing }: Endpoint): string {
  if (pricing.kind === 'free') return 'Free'
  if (pricing.kind === 'exact') return `$${pricing.priceUsd}`
  const fixed = pricing.isExactFirst ? `, or $${pricing.priceUsd} fixed` : ''
  return `$${pricing.minimumUsd} to $${pricing.priceUsd} metered${fixed}`
}

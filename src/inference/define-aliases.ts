import type { Endpoint } from '../catalogue/endpoint.ts'
import type { OpenTiers } from '../models/tiers/open-tiers.ts'
import { defineChat } from './chat/define-chat.ts'
import { ALL_TIERS, meteredNameOf } from './chat/tier-table.ts'
import { defineMessages } from './messages/define-messages.ts'
import { defineResponses } from './responses/define-responses.ts'

/** The paths of tiers under the operator's names: each is sold exactly as under its own name. */
export function defineAliases(tiers: OpenTiers): readonly Endpoint[] {
  return ALL_TIERS.flatMap((tier) =>
    (tiers.get(tier.name)?.aliases ?? []).flatMap((alias) => [
      ...definePaths({ tier, alias, isMetered: false }),
      ...(tier.upto ? definePaths({ tier, alias, isMetered: true }) : []),
    ]),
  )
}

/** The same in the messages dialect. */
export function defineMessagesAliases(tiers: OpenTiers): readonly Endpoint[] {
  return ALL_TIERS.flatMap((tier) =>
    (tiers.get(tier.name)?.aliases ?? []).map((alias) =>
      defineMessages({
        tier,
        alias,
        id: `messages.alias.${alias}`,
        path: `/v1/_t/${alias}/messages`,
        summary: `Message from ${alias}`,
        variant: { of: 'messages', name: alias, isBrief: true },
      }),
    ),
  )
}

function definePaths(
  offer: Required<Pick<Parameters<typeof defineChat>[0], 'tier' | 'alias' | 'isMetered'>>,
): readonly Endpoint[] {
  const { alias, isMetered } = offer
  const name = isMetered ? meteredNameOf(alias) : alias
  const id = name.replaceAll('/', '.')
  const of = `chat.alias.${alias}`
  return [
    defineChat({
      ...offer,
      id: `chat.alias.${id}`,
      path: `/v1/chat/completions/_t/${name}`,
      summary: `Chat completion of ${name}`,
      ...(isMetered && { variant: { of, name: 'by the token' } }),
    }),
    defineChat({
      ...offer,
      id: `chat.alias-base-url.${id}`,
      path: `/v1/_t/${name}/chat/completions`,
      summary: `Chat completion of ${name}, for SDKs`,
      variant: {
        of,
        name: isMetered ? 'by the token, for SDKs with a base URL' : 'for SDKs with a base URL',
      },
    }),
    defineResponses({
      ...offer,
      id: `responses.alias.${id}`,
      path: `/v1/_t/${name}/responses`,
      summary: `Response from ${name}`,
      variant: { of: 'responses', name, isBrief: true },
    }),
  ]
}

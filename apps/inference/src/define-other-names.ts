import type { Endpoint } from '@tollbook/endpoints/endpoint'
import type { OpenTiers } from '@tollbook/models/tiers/open-tiers'
import { ALL_TIERS, meteredNameOf } from '@tollbook/models/tiers/tier-table'
import { defineChat } from './chat/define-chat.ts'
import { defineMessages } from './messages/define-messages.ts'
import { defineResponses } from './responses/define-responses.ts'

/** The paths of tiers under the operator's names: each is sold exactly as under its own name. */
export function defineOtherNames(tiers: OpenTiers): readonly Endpoint[] {
  return ALL_TIERS.flatMap((tier) =>
    (tiers.get(tier.name)?.otherNames ?? []).flatMap((otherName) => [
      ...definePaths({ tier, otherName, isMetered: false }),
      ...(tier.upto ? definePaths({ tier, otherName, isMetered: true }) : []),
    ]),
  )
}

/** The same in the messages dialect. */
export function defineOtherMessagesNames(tiers: OpenTiers): readonly Endpoint[] {
  return ALL_TIERS.flatMap((tier) =>
    (tiers.get(tier.name)?.otherNames ?? []).map((otherName) =>
      defineMessages({
        tier,
        otherName,
        id: `messages.alias.${otherName}`,
        path: `/v1/_t/${otherName}/messages`,
        summary: `Message from ${otherName}`,
        variant: { of: 'messages', name: otherName, isBrief: true },
      }),
    ),
  )
}

function definePaths(
  offer: Required<Pick<Parameters<typeof defineChat>[0], 'tier' | 'otherName' | 'isMetered'>>,
): readonly Endpoint[] {
  const { otherName, isMetered } = offer
  const name = isMetered ? meteredNameOf(otherName) : otherName
  const id = name.replaceAll('/', '.')
  const of = `chat.alias.${otherName}`
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

import { defineMessages, MESSAGES } from '../../../messages/define-messages.ts'

export const messages = defineMessages({
  tier: MESSAGES,
  id: 'messages',
  path: '/v1/messages',
  summary: 'Answer of a language model, in the messages dialect',
  pathOf: (name) => `/v1/_t/${name}/messages`,
})

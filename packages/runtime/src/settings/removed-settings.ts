/** What an operator does who still sets one of an earlier version, by the name of the setting. */
export const REMOVED_SETTINGS: Readonly<Record<string, string>> = {
  TOLLBOOK_IMAGE_DIALECT: 'unset it; TOLLBOOK_IMAGE_URL is an OpenAI-compatible server',
  TOLLBOOK_IMAGE_WORKFLOW: 'unset it; TOLLBOOK_IMAGE_URL is an OpenAI-compatible server',
  TOLLBOOK_SMTP_PROBE: 'unset it; no mail server is contacted',
}

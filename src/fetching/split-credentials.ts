/**
 * Moves user and password from a URL to the equivalent basic authorization header (RFC 7617): `fetch` rejects
 * a URL that contains them, and no error can repeat them then.
 */
export function splitCredentials(given: URL): { readonly url: URL; readonly authorization: string | null } {
  const url = new URL(given)
  const { username, password } = url
  if (username === '' && password === '') return { url, authorization: null }
  url.username = ''
  url.password = ''
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { url, authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
}

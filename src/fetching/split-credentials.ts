/**
 * Takes user and password out of a URL, as the header of basic authorization that they stand for (RFC 7617): `fetch`
 * refuses a URL that holds them, and no error can repeat them then.
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

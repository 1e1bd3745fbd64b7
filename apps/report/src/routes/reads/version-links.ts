import { toQuery, weekUrl } from '@tollbook/verify/published/links'
import type { StoredEdition } from '../../editions/stored-reports.ts'
import type { ReportPorts } from './ports.ts'

type Shown = Pick<StoredEdition, 'edition' | 'revision'>

/** The `Link` header (RFC 8288, RFC 5829) of a week's document: revisions before, after, newest, all. */
export async function linkVersions(
  path: string,
  { reader, baseUrl }: ReportPorts,
  shown: Shown,
): Promise<{ readonly link?: string }> {
  if (shown.revision === 0) return {}
  const newest = await reader.edition(shown.edition)
  const link = versionLinks(`${baseUrl}${path}`, shown, newest?.revision ?? shown.revision)
  return { link: `${link}, <${weekUrl(baseUrl, shown.edition)}>; rel="version-history"` }
}

function versionLinks(url: string, { edition: week, revision }: Shown, newest: number): string {
  const to = (number: number, relation: string) =>
    `<${url}${toQuery({ week, revision: number })}>; rel="${relation}"`
  return [
    ...(revision > 1 ? [to(revision - 1, 'predecessor-version')] : []),
    ...(revision < newest ? [to(revision + 1, 'successor-version')] : []),
    to(newest, 'latest-version'),
  ].join(', ')
}

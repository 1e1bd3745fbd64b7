import type { Element } from 'domhandler'

/** Elements that by definition are not the main content (HTML Standard, 4.3 and 4.10). */
export const ASIDE_ELEMENTS: ReadonlySet<string> = new Set(
  'nav footer aside dialog select option label textarea menu head'.split(' '),
)

/** Landmark and widget roles outside the main content (WAI-ARIA 1.2, 5.3). */
export const ASIDE_ROLES: ReadonlySet<string> = new Set(
  'navigation banner contentinfo search dialog alertdialog complementary menu menubar toolbar alert tooltip'.split(
    ' ',
  ),
)

/** Class and id words commonly used for the parts around the content. */
const ASIDE_WORDS = [
  'nav|navbar|navigation|menu|megamenu|submenu|breadcrumbs?|bread-crumbs?|drawer|offcanvas|toc|table-of-contents',
  'footer|site-?footer|site-?header|masthead|topbar|top-bar|sidebar|side-bar|toolbar|skip-?links?|back-to-top',
  'cookies?|consent|gdpr|banner|popup|pop-up|modal|overlay|copyright|legal|language-?(?:switcher|selector)',
  'newsletter|subscribe|subscription|signup|sign-up|login|share|sharing|social|socials|country-selector',
  'related|recommend(?:ed|ations)?|you-may|also-like|trending|popular|tags?|tag-?list|author-?(?:box|bio)',
  'promo|promotion|advert|advertisement|ads?|sponsor(?:ed)?|widget|feedback|minicart|mini-cart|cart-drawer|quick-?view',
  'pagination|pager|paging|search-?form|searchbox|filters?|facets?|sort|print-only|hidden|d-none',
  'screen-reader-text|sr-only|visually-hidden|visuallyhidden',
].join('|')
const ASIDE_NAME = new RegExp(`(?:^|[\\s_-])(?:${ASIDE_WORDS})(?:$|[\\s_-])`)
const COMMENTS_NAME = /(?:^|[\s_-])(?:comments?|respond)(?:$|[\s_-])/

/** Class, id and test id of an element, in lower case. */
export function nameOf({ attribs }: Element): string {
  return `${attribs.class ?? ''} ${attribs.id ?? ''} ${attribs['data-testid'] ?? ''}`.toLowerCase()
}

export function isNamedAside(element: Element): boolean {
  return ASIDE_NAME.test(nameOf(element))
}

/** User comments. On a forum they are the content; there they are most of the page and kept for that reason. */
export function isNamedComments(element: Element): boolean {
  return COMMENTS_NAME.test(nameOf(element))
}

export function isHidden({ attribs }: Element): boolean {
  const style = attribs.style ?? ''
  const isUnseen = attribs.hidden !== undefined || attribs['aria-hidden'] === 'true'
  return isUnseen || /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style)
}

const MAIN_ID = /^(?:main|content|main-content|maincontent|primary)$/i

export function isNamedMain({ name, attribs }: Element): boolean {
  return name === 'main' || attribs.role === 'main' || MAIN_ID.test(attribs.id ?? '')
}

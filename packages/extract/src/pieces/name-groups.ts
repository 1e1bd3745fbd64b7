import type { Element } from 'domhandler'

/** Elements whose name states their purpose. */
const ELEMENTS =
  'nav footer header aside form main article section table td th ul ol li figure figcaption details summary a label dialog blockquote p h1 h2 h3 h4 pre dl dt dd strong em span button fieldset address time small'.split(
    ' ',
  )

/** Class and id words in common use, grouped by the purpose of the part they name. */
const NAMED: Readonly<Record<string, string>> = {
  navigation: 'nav navbar navigation menu megamenu submenu menuitem drawer offcanvas skip tablist',
  breadcrumb: 'breadcrumb breadcrumbs crumb crumbs',
  contents: 'toc contents outline',
  foot: 'footer foot bottom contentinfo colophon',
  head: 'header head masthead topbar top banner',
  side: 'sidebar side rail aside complementary secondary column col',
  consent: 'cookie cookies consent gdpr privacy ccpa',
  overlay: 'popup modal overlay dialog lightbox tooltip toast alert notice notification announcement',
  letter: 'newsletter subscribe subscription signup optin mailing',
  account: 'login signin account register user profile avatar member',
  share: 'share sharing social socials follow',
  related:
    'related recommend recommended recommendation recommendations similar also more suggested next prev previous',
  popular: 'trending popular latest recent featured top-stories',
  tags: 'tag tags taglist category categories topic topics keyword keywords',
  author: 'author byline bio writer contributor',
  advert: 'ad ads advert advertisement promo promotion promotional sponsor sponsored sponsors',
  widget: 'widget widgets plugin embed',
  pages: 'pagination pager paging paginator pages',
  choose:
    'filter filters facet facets sort sorting refine search searchbox toolbar dropdown select option options',
  hidden: 'hidden hide invisible collapse collapsed closed sr visually screenreader print none',
  comments: 'comment comments respond discussion disqus reply replies',
  post: 'post posts message messages thread threads answer answers question questions topicpost postbody',
  content:
    'content contents entry body text copy prose story article articlebody main markdown richtext wysiwyg rte',
  product: 'product products item sku pdp',
  price: 'price prices pricing cost amount',
  buy: 'cart buy checkout basket wishlist quantity qty shipping delivery',
  describe:
    'description desc summary overview details detail specification specs spec features feature about info',
  card: 'card cards tile tiles teaser grid list listing collection results result',
  slide: 'carousel slider slide slides swiper slick gallery',
  hero: 'hero jumbotron intro lead lede lead-in',
  title: 'title heading headline name',
  meta: 'meta date time timestamp published posted updated read reading',
  caption: 'caption credit figcaption',
  faq: 'faq faqs accordion tab tabs panel toggle expand',
  review: 'review reviews rating ratings stars testimonial testimonials quote',
  legal: 'copyright legal terms disclaimer policy',
  action: 'cta button btn buttons actions action banner',
  quote: 'signature sig quoted blockquote bbcode',
  step: 'step steps ingredient ingredients instruction instructions recipe method',
  code: 'code highlight snippet syntax',
  language: 'language languages lang locale currency country region',
  stats: 'stats count counts views likes votes vote score badge karma rank',
  block: 'block module component container wrapper row layout region group inner',
}

export const GROUPS: readonly string[] = [...ELEMENTS, 'hiding', 'main-role', ...Object.keys(NAMED)]

const INDEX = new Map(GROUPS.map((group, at) => [group, at]))
const ELEMENT_INDEX = new Map(ELEMENTS.map((name, at) => [name, at]))
const WORDS = Map.groupBy(
  Object.entries(NAMED).flatMap(([group, words]) =>
    words.split(' ').map((word) => ({ word, group: INDEX.get(group) ?? 0 })),
  ),
  ({ word }) => word,
)
const HIDING = INDEX.get('hiding') ?? 0
const MAIN = INDEX.get('main-role') ?? 0

/** The groups of an element, by its tag name, role, classes and id. */
export function groupsOf({ name, attribs }: Element, isHidden: boolean): number[] {
  const groups: number[] = []
  const element = ELEMENT_INDEX.get(name)
  if (element !== undefined) groups.push(element)
  if (isHidden) groups.push(HIDING)
  if (attribs.role === 'main') groups.push(MAIN)
  const called = `${attribs.class ?? ''} ${attribs.id ?? ''} ${attribs['data-testid'] ?? ''} ${attribs.role ?? ''} ${attribs.itemprop ?? ''}`
  if (called.length <= 4) return groups
  const words =
    called
      .slice(0, MAX_NAME_LENGTH)
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[a-z]+/g) ?? []
  for (const word of words) for (const { group } of WORDS.get(word) ?? []) groups.push(group)
  return groups
}

/** Longer names are generated. */
const MAX_NAME_LENGTH = 400

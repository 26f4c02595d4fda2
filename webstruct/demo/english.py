"""The English newspaper: topics with their vocabularies and grammar."""

from __future__ import annotations

import re

from webstruct.demo.labels import ENGLISH_LABELS
from webstruct.demo.language import Language, named, topic, words


def plural(noun: str) -> str:
    """Return the regular plural.

    >>> plural("party"), plural("coach"), plural("delay")
    ('parties', 'coaches', 'delays')
    """
    if re.search(r"[^aeiou]y$", noun):
        return noun[:-1] + "ies"
    return noun + ("es" if re.search(r"(s|x|z|ch|sh)$", noun) else "s")


def tidy(sentence: str) -> str:
    """Put ``an`` before vowels and begin with a capital.

    >>> tidy("a old bridge fell")
    'An old bridge fell'
    """
    sentence = re.sub(r"\b([Aa]) (?=[aeiouAEIOU])", r"\1n ", sentence)
    start = 1 if sentence.startswith("“") else 0
    return sentence[: start + 1].upper() + sentence[start + 1 :]


TOPICS = (
    topic(
        "Politics",
        "politics",
        children="Elections=elections, Parliament=parliament, Local Government=local, Diplomacy=diplomacy, Law=law",
        tags="Coalition talks=coalition-talks, Housing bill=housing-bill, Border treaty=border-treaty, "
        "Voting reform=voting-reform, Town halls=town-halls, Public inquiry=public-inquiry",
        noun="minister parliament party vote bill coalition campaign cabinet candidate mayor senate treaty "
        "ballot amendment committee referendum opposition constituency embassy lobbyist manifesto speaker "
        "whip ombudsman council delegate decree statute ward petition turnout summit sanction mandate "
        "hearing quorum veto caucus envoy electorate portfolio clerk chamber protocol district tribunal "
        "commissioner magistrate charter",
        verb="debated elected amended vetoed ratified lobbied adjourned campaigned-for repealed tabled "
        "endorsed censured petitioned nominated legislated",
        adjective="parliamentary electoral constitutional bipartisan municipal diplomatic legislative "
        "partisan provisional federal ministerial judicial populist centrist outgoing",
    ),
    topic(
        "Business",
        "business",
        children="Markets=markets, Companies=companies, Energy=energy, Property=property, Work=work",
        tags="Interest rates=interest-rates, Wind farms=wind-farms, Shipping=shipping, Start-ups=start-ups, "
        "Pay talks=pay-talks, Savings=savings",
        noun="market company bank share profit investor price factory contract loan dividend merger "
        "retailer supplier tariff shareholder bond startup warehouse exporter index pension wage currency "
        "auditor turbine mortgage invoice broker refinery brand franchise lender landlord cargo surplus "
        "deficit acquisition payroll boardroom forecast subsidiary inventory harbour margin patent insurer "
        "wholesaler grid",
        verb="acquired invested-in exported refinanced audited listed floated insured outsourced priced "
        "leased merged downgraded recalled subsidised",
        adjective="quarterly financial corporate taxable solvent fiscal wholesale industrial commercial "
        "volatile undervalued overseas listed bankrupt seasonal",
    ),
    topic(
        "Science",
        "science",
        children="Space=space, Medicine=medicine, Climate=climate, Computing=computing, Nature=nature",
        tags="Moon mission=moon-mission, Gene research=gene-research, Glaciers=glaciers, Robots=robots, "
        "Deep sea=deep-sea, Sleep=sleep",
        noun="researcher laboratory experiment telescope sample vaccine species satellite theory genome "
        "molecule algorithm sensor glacier neuron orbit enzyme fossil dataset reactor antibody asteroid "
        "microbe prototype laser catalyst isotope simulation crater protein hypothesis specimen processor "
        "spectrum comet coral detector particle embryo magnet volcano pollen membrane receptor trial "
        "mineral probe circuit",
        verb="measured observed simulated sequenced calibrated detected synthesised replicated launched "
        "catalogued modelled vaccinated classified dissected digitised",
        adjective="molecular experimental clinical genetic orbital computational microscopic seismic "
        "peer-reviewed thermal neural marine statistical magnetic fossilised",
    ),
    topic(
        "Culture",
        "culture",
        children="Books=books, Film=film, Music=music, Art=art, Theatre=theatre",
        tags="Festival season=festival-season, First novels=first-novels, Museums=museums, "
        "Documentary=documentary, Opera=opera, Street art=street-art",
        noun="novel film exhibition museum orchestra painter festival album gallery actor poem stage "
        "director concert sculpture curator audience screenplay choir publisher soprano portrait manuscript "
        "premiere playwright violin costume chapter rehearsal mural archive photographer critic melody "
        "ballet libretto fresco anthology studio auction drummer canvas documentary paperback puppet sonata "
        "biography ensemble",
        verb="performed exhibited published composed filmed painted translated staged rehearsed curated "
        "recorded illustrated adapted restored narrated",
        adjective="lyrical theatrical baroque experimental handwritten cinematic acclaimed orchestral "
        "abstract autobiographical comic operatic nostalgic sculpted bestselling",
    ),
    topic(
        "Sport",
        "sport",
        children="Football=football, Athletics=athletics, Tennis=tennis, Cycling=cycling, Rowing=rowing",
        tags="Cup final=cup-final, Transfer window=transfers, Marathon=marathon, Injuries=injuries, Youth "
        "teams=youth-teams, Records=records",
        noun="team coach match goal season player league final referee striker defender stadium medal "
        "champion tournament goalkeeper penalty sprint racket cyclist captain fixture relay serve trophy "
        "derby substitute midfielder marathon squad hurdle podium peloton regatta volley scorer dugout "
        "athlete lap playoff whistle training knockout oar underdog supporter tiebreak jersey",
        verb="scored defended tackled trained equalised-against defeated overtook substituted coached "
        "signed won outpaced booked injured celebrated",
        adjective="unbeaten athletic injured offside victorious aerial goalless sprinting nimble breathless "
        "home-grown top-seeded relegated muddy exhausted",
    ),
    topic(
        "Travel",
        "travel",
        children="Cities=cities, Coast=coast, Mountains=mountains, Rail=rail, Food=food",
        tags="Night trains=night-trains, Islands=islands, Hiking=hiking, Street food=street-food, Weekend "
        "breaks=weekend-breaks, Old towns=old-towns",
        noun="hotel train island beach harbour trail village restaurant passport ferry guide lighthouse "
        "market airport luggage recipe vineyard castle platform hostel canyon tram monastery waterfall "
        "kitchen carriage cliff bakery lagoon border suitcase tavern compass cathedral bazaar summit "
        "timetable campsite orchard noodle promenade visa cabin meadow dumpling terrace viaduct oasis",
        verb="explored visited crossed hiked tasted boarded booked wandered-through photographed cooked "
        "sailed toured unpacked savoured climbed",
        adjective="scenic cobbled coastal remote sunlit medieval spicy rustic panoramic sandy alpine "
        "bustling winding overnight tropical",
    ),
    topic(
        "Education",
        "education",
        children="Schools=schools, Universities=universities, Skills=skills, Teachers=teachers, Childhood=childhood",
        tags="Exam results=exam-results, Apprentices=apprentices, Reading=reading, Tuition "
        "fees=tuition-fees, Campus life=campus-life, Languages=languages",
        noun="school teacher pupil exam university student lesson curriculum classroom lecture degree "
        "professor scholarship library textbook syllabus apprentice campus tutor grade kindergarten "
        "headteacher homework seminar dean faculty dormitory diploma chalkboard playground literacy "
        "enrolment essay spelling arithmetic alumnus thesis tuition semester principal quiz nursery "
        "graduate governor timetable worksheet mentor blackboard",
        verb="taught graded enrolled tutored examined lectured graduated mentored memorised educated "
        "supervised revised assessed accredited recited",
        adjective="academic vocational bilingual literate undergraduate pedagogical scholarly numerate "
        "residential extracurricular secondary studious remedial certified tutored",
    ),
    topic(
        "Health",
        "health",
        children="Hospitals=hospitals, Nutrition=nutrition, Mind=mind, Fitness=fitness, Ageing=ageing",
        tags="Waiting lists=waiting-lists, Nurses=nurses, Healthy eating=healthy-eating, "
        "Allergies=allergies, Walking=walking, Memory=memory",
        noun="patient hospital doctor nurse treatment symptom diet surgeon clinic prescription allergy "
        "therapy ward pharmacy diagnosis vitamin ambulance muscle pulse midwife dosage carer scan infection "
        "appetite rehabilitation fracture dentist asthma hormone stroke bandage physiotherapist calorie "
        "insomnia transplant paramedic stamina cholesterol migraine wheelchair dementia tablet breath "
        "posture fever kidney inhaler",
        verb="treated diagnosed prescribed cured operated-on screened immunised rehabilitated hospitalised "
        "monitored relieved bandaged counselled nursed discharged",
        adjective="chronic medical surgical nutritious contagious elderly cardiac respiratory painless "
        "therapeutic preventive anxious dietary feverish resilient",
    ),
)

WORDS = {
    "noun": words(
        "people plan year government report question group city decision change week problem result project "
        "family system case number idea street office member house community worker reason programme "
        "service building talk road power history book story letter door resident spokesman neighbour "
        "agreement rule budget warning meeting review proposal promise mistake secret rumour delay shortage "
        "crowd bridge garden evening generation tradition village corner ladder window silence shadow river "
        "forest storm winter machine engine signal network lantern basket kettle blanket mirror anchor "
        "barrel candle feather hammer needle ribbon saddle thread umbrella valve wagon yard zone archway "
        "brick cellar drawer envelope fence gutter hedge"
    ),
    "verb": words(
        "announced changed supported opened reported discussed followed welcomed rejected considered "
        "prepared reviewed delayed questioned examined defended replaced approved explained accepted "
        "criticised presented promised described expected finished improved protected repaired requested "
        "suspended transformed uncovered weighed witnessed borrowed delivered doubled feared guarded "
        "ignored joined labelled mapped noticed organised praised rescued shaped tested valued"
    ),
    "adjective": words(
        "new local large small public old early long important recent private common late quiet difficult "
        "national serious strong careful familiar surprising narrow crowded modest ambitious patient "
        "fragile distant gentle hollow idle jagged keen lively mild neat odd plain rough steep thick "
        "unusual vivid weary young bitter cautious dusty earnest faint grim hasty"
    ),
    "adverb": words(
        "quickly quietly finally rarely openly carefully suddenly widely gradually briefly reluctantly "
        "plainly repeatedly barely jointly proudly warmly nearly sharply slowly"
    ),
    "role": words(
        "a-spokeswoman a-resident an-analyst a-volunteer a-former-official an-organiser a-historian "
        "a-witness an-engineer a-neighbour a-shopkeeper an-adviser a-campaigner a-technician"
    ),
    "first": words(
        "Anna Tom Clara Jonas Maria Peter Ida Oscar Helen Marcus Nadia Felix Ruth Simon Vera Hugo Laura "
        "Victor Greta Paul Irene Martin Sofia Edgar Judith Leon Alma Walter Nora Bruno Edith Conrad Flora "
        "Gavin Hanna Ivan Joyce Karl Lydia Miles"
    ),
    "surname_head": words(
        "Ash Black Car Dal East Fair Gold Hart Ing Kel Lang Marl Nor Oak Pem Quin Red Stan Thorn Under Vin "
        "West Yar Bram Crow Dun Elm Frost"
    ),
    "surname_tail": words("field well son brook worth ley ham ridge stone wick berg mann dale smith by croft hurst"),
    "place_head": words(
        "Brack Hol Mer Sand Wex Tarn Lind Cald Fenn Gray Hazel Iver Karl Lark Moss North Orm Pell Raven "
        "Silver Thist Ulver Vale Winter Aber Bell Cran Dray Eller Frith"
    ),
    "place_tail": words("ford ton mouth stead burgh haven minster port gate bridge holm market water ness cliffe more"),
    "day": words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday"),
    "number": words("12 20 30 45 60 75 90 120 150 180 200 240 300 350 400 480 600 750 900 1,200 1,800 2,500 4,000"),
}

GRAMMAR = {
    "headline": (
        "{noun} {verb} after {adjective} {noun} in {place}",
        "how a {noun} {verb} the {adjective} {noun} of {place}",
        "{place} {noun} {verb} {nouns} as {nouns} wait",
        "{adjective} {nouns}: why {place} {verb} its {noun}",
        "{person} {verb} {adjective} {noun}",
        "{number} {nouns} {verb} in {place} {noun}",
        "the {noun}, the {noun} and the {adjective} {noun}",
        "“{adjective} and {adjective}”: {person} on the {noun}",
        "{nouns} {adverb} {verb} near {place}",
        "what the {place} {noun} tells us about {nouns}",
        "no {noun} without a {noun}, says {person}",
        "{place}: {noun} {verb} over {noun} {noun}",
    ),
    "sentence": (
        "{subject} {verb} {object} {when}.",
        "{when}, {subject} {verb} {object}.",
        "{subject}, which {verb} {object} {when}, {adverb} {verb} {object}.",
        "{person} said that {subject} had {verb} {object}.",
        "“{quotation},” said {person}, {role} from {place}.",
        "{link}, {subject} {verb} {object}, and {subject} {verb} {object}.",
        "according to {person}, {nouns} in {place} were {adverb} {verb} {when}.",
        "about {number} {nouns} were {verb} in {place} {when}.",
        "it was not until {day} that {subject} {verb} {object}.",
        "nobody in {place} had {verb} {object} before {subject} {verb} it.",
        "{subject} {verb} {object}, although {nouns} and {nouns} had not been {verb}.",
        "{person}, {role}, {adverb} {verb} {object} and called it “{adjective}”.",
        "for {nouns}, {object} is a {adjective} {noun}; for {nouns}, it is only {adjective}.",
        "a {noun} in {place} costs {number} times as much as {object}.",
        "when {subject} {verb} {object}, {subject} {verb} the {noun}.",
        "there were {number} {nouns}, {number} {nouns} and one {adjective} {noun}.",
        "{subject} and {subject} {verb} {object} {when}.",
        "the {noun} remains {adjective}, but its {noun} was {verb} {when}.",
        "critics of the {noun} point to {object} and to {object}.",
        "much of the {noun} was {verb} by {person} {when}.",
    ),
    "subject": (
        "the {noun}",
        "the {adjective} {noun}",
        "{nouns}",
        "{person}",
        "the {noun} of the {noun}",
        "{adjective} {nouns}",
        "the {place} {noun}",
        "{number} {nouns}",
    ),
    "object": (
        "the {noun}",
        "a {adjective} {noun}",
        "the {nouns} of {place}",
        "{nouns}",
        "a {noun} for {nouns}",
        "the {adjective} {noun}",
        "its {noun}",
        "every {noun} in {place}",
    ),
    "quotation": (
        "we have {verb} the {noun}, and nobody {verb} us",
        "this {noun} was never {adjective}",
        "a {noun} needs {nouns}, not {nouns}",
        "the {adjective} {noun} is over",
        "people here remember the {noun} of {place}",
        "if the {noun} is {verb}, {nouns} will leave",
    ),
    "when": (
        "on {day}",
        "last week",
        "in {place}",
        "near {place}",
        "after the {noun}",
        "for the first time",
        "this year",
        "on {day} evening",
        "during the {adjective} {noun}",
    ),
    "link": (
        "meanwhile",
        "in the end",
        "as a result",
        "by contrast",
        "at the same time",
        "even so",
        "in {place}",
    ),
    "person": ("{first} {surname_head}{surname_tail}",),
    "place": ("{place_head}{place_tail}",),
    "subheading": (
        "the {adjective} {noun}",
        "{nouns} and {nouns}",
        "what {place} {verb}",
        "a {noun} of {nouns}",
    ),
    "item": (
        "{adjective} {nouns} in {place}",
        "the {noun} that {person} {verb}",
        "{number} {nouns} for every {noun}",
    ),
    "column": ("{noun}",),
    "caption": ("{subject} in {place} {when}", "{person} with a {adjective} {noun}", "{nouns} near {place}"),
    "reference": (
        "{person} has written about it before:",
        "we reported earlier:",
        "the background is in our story",
        "see also",
    ),
    "source": ("the full {noun} is published by", "the figures were first given by", "more on the {noun} at"),
    "comment": (
        "I read this twice.",
        "Really?",
        "Thank you for a fair piece.",
        "Not in {place}!",
        "As a {noun} I agree.",
    ),
    "biography": ("reports on {nouns}, {nouns} and {nouns} from {place}.",),
}

PAGES = {
    "about": (
        "The Daily Lantern is a newspaper that exists only to be crawled. Its stories are written by a small grammar.",
        "Our newsroom never sleeps, because it has nobody in it. Every page is computed when you ask for it.",
    ),
    "contact": ("Write to us at the address below. We answer letters in the order in which they are not lost.",),
    "privacy": (
        "We store nothing about you. The server keeps a list of requests in memory until it is stopped.",
        "The banner about cookies is there because every page on the web has one.",
    ),
    "imprint": ("The Daily Lantern, 1 Loopback Lane, Localhost. Responsible for the contents: a seed.",),
}

ENGLISH = Language(
    code="en",
    site_name="The Daily Lantern",
    topics=TOPICS,
    formats=named(
        "Analysis=analysis, Interview=interview, Opinion=opinion, Data=data, Weekend=weekend, Long read=long-read"
    ),
    words=WORDS,
    grammar=GRAMMAR,
    labels=ENGLISH_LABELS,
    months=words("January February March April May June July August September October November December"),
    dates={
        "classic": "{day} {month} {year}",
        "boxes": "{month} {day}, {year} at {clock}",
        "modern": "{day:02}/{number:02}/{year} {clock}",
    },
    addresses={
        "classic": "/archive/{year}{number:02}{day:02}/{identifier}{part}.htm",
        "boxes": "/{section}/{year}/{number:02}/{slug}-{identifier}{part}.html",
        "modern": "/{section}/{child}/{slug}-a{identifier}{part}",
    },
    next_list_page="page/{page}/",
    separator=" ",
    pages=PAGES,
    inflections={"nouns": ("noun", plural)},
    tidy=tidy,
)

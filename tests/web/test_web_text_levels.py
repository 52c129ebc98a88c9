from web.visitor import visiting

TEXT = (
    "The meteorologist says that the weather will be bad in the whole of the small town by the sea today and tomorrow. "
    "It is cold. People stay at home."
)


async def test_a_teacher_sees_the_level_the_hard_words_and_the_long_sentences(database):
    async with visiting(database) as visitor:
        page = (await visitor.post("/levels", {"text": TEXT, "level": "A2"})).page
        assert "Level" in page.text
        assert "meteorologist C" in page.text
        assert "22 words: too long" in " ".join(page.text.split())
        assert "The lesson has 29 words: A2 needs at least 64." in page.text


async def test_the_page_says_why_a_text_has_no_level_and_shows_markup_as_text(database):
    async with visiting(database) as visitor:
        empty = (await visitor.get("/levels")).page
        assert "Nothing is stored" in empty.text
        page = (await visitor.post("/levels", {"text": "日本銀行は金利を上げた。", "level": ""})).page
        assert "only English texts have a level" in page.text
        hostile = await visitor.post("/levels", {"text": "<script>alert(1)</script> is in the text.", "level": "Z9"})
        assert "<script>alert" not in hostile.text

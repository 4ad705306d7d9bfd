// The contents are one line, which scrolls sideways: a button shows that, and does it.
const contents = document.querySelector("nav > ul");
const further = document.querySelector("nav > button");
const right = () => contents.scrollWidth - contents.clientWidth - contents.scrollLeft;

function showFurther() {
  further.hidden = contents.scrollWidth <= contents.clientWidth;
  further.textContent = right() > 1 ? "›" : "‹";
}

further.addEventListener("click", () =>
  contents.scrollTo({ left: right() > 1 ? contents.scrollLeft + 0.8 * contents.clientWidth : 0, behavior: "smooth" }));
contents.addEventListener("scroll", showFurther);
window.addEventListener("resize", showFurther);
showFurther();

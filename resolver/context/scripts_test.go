package context

import (
	"context"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// A pack in any script is asked in that script: words with endings, and words without
// spaces between them.
func TestResolveInAnyScript(t *testing.T) {
	for _, c := range []struct {
		script, refund, shipping, about, asked, other string
		confidence                                    Confidence
	}{
		{"Japanese", "返金", "配送", "返品された商品の代金は七日以内に返金されます。", "返金はいつされますか", "東京の天気は", Sure},
		{"Chinese", "退款", "送货", "退货后七天内退款到原支付方式。", "什么时候能退款", "今天天气怎么样", Sure},
		{"Korean", "환불", "배송", "반품한 상품의 환불은 칠 일 안에 됩니다.", "환불을 언제 받나요", "오늘 날씨", Sure},
		{"Thai", "การคืนเงิน", "การจัดส่ง", "คืนเงินภายในเจ็ดวันหลังส่งสินค้ากลับ", "จะได้รับเงินคืนเมื่อไหร่ ขอคืนเงิน", "พรุ่งนี้อากาศ", Sure},
		{"Thai in few words", "การคืนเงิน", "การจัดส่ง", "คืนเงินภายในเจ็ดวันหลังส่งสินค้ากลับ", "ขอคืนเงินได้ไหม", "ฟุตบอลเมื่อคืนใครชนะ", Sure},
		{"Thai with a word of the question", "รหัสผ่าน", "การจัดส่ง", "เปิดหน้าบัญชีของคุณ แล้วกดปุ่มเปลี่ยนรหัสผ่านใหม่", "ลืมรหัสผ่านต้องทำอย่างไร", "ใครเป็นนายกรัฐมนตรี", Sure},
		{"Arabic", "استرداد", "الشحن", "يتم استرداد المبلغ خلال سبعة أيام.", "متى يتم استرداد المبلغ", "الطقس غدا", Sure},
		{"Cyrillic", "Возврат", "Доставка", "Возврат денег занимает семь дней.", "сколько занимает возврат денег", "погода завтра", Sure},
		{"Cyrillic in other forms", "Возвраты", "Доставка", "Возвраты денег занимают семь дней.", "сколько времени занимает возврат", "какой будет погода", Sure},
		{"Cyrillic with a question word", "Возврат", "Доставка", "Возврат денег занимает семь дней.", "почему и зачем какой возврат", "какая погода завтра", Sure},
		{"Arabic with a question word", "استرداد", "الشحن", "يتم استرداد المبلغ خلال سبعة أيام.", "لماذا متى استرداد", "متى الطقس غدا", Sure},
	} {
		shipping := strings.Repeat(c.shipping+" 12345. ", 3)
		files := compiled(t, tree{
			"KNOWLEDGE.md":       head("shop", "document-first", ""),
			"documents/shop.md":  "# Shop\n\n## " + c.shipping + "\n\n" + shipping + "\n\n## " + c.refund + "\n\n" + c.about + "\n",
			"documents/other.md": "# Other\n\n## ABC\n\nSomething else.\n",
		})
		ask := func(query string) *Resolution {
			return oktest.Value(Resolve(context.Background(), []Pack{{FS: files, Dir: "shop", Activation: Explicit, Own: true}}, Request{Query: query}))(t)
		}
		r := ask(c.asked)
		if !strings.Contains(r.Context, c.about) || strings.Contains(r.Context, shipping) || r.Confidence != c.confidence {
			t.Errorf("%s: %q selects %q, %s", c.script, c.asked, r.SelectedFiles, r.Confidence)
		}
		if r := ask(c.other); r.Confidence != Uncertain {
			t.Errorf("%s: %q is answered by %q", c.script, c.other, r.SelectedFiles)
		}
	}
}
